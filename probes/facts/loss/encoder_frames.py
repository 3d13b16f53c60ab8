"""How many frames of the encoder's output anybody listens to, for a row that has no padding."""

from typing import Any, Self

import torch

from probes.facts.core.batch_rows import MASKS, input_of, tensors
from probes.facts.core.model_output import logits_of
from probes.facts.loss.loss_calls import LossCallSpy
from probes.facts.loss.types import FramesUsed


class EncoderFrameProbe:
    """Hooks on the encoder and on the whole model while one batch runs; `ask` before the backward pass."""

    def __init__(self, model: torch.nn.Module, batch: Any) -> None:
        self._model, self._encoder = model, encoder_of(model)
        self._row = whole_row(batch)
        self._hidden: torch.Tensor | None = None
        self._logits: torch.Tensor | None = None
        self.frames: list[FramesUsed] = []

    def __enter__(self) -> Self:
        self._handles = [self._model.register_forward_hook(self._see)]
        if self._encoder:
            self._handles.append(self._encoder[1].register_forward_hook(self._keep))
        self._ears = LossCallSpy()
        self._ears.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._ears.__exit__(*error)
        for handle in self._handles:
            handle.remove()
        self._hidden = self._logits = None

    def ask(self) -> None:
        """A frame whose change would change no score is hidden from the decoder."""
        if self._row is None:
            return
        name = self._encoder[0] if self._encoder else ""
        felt = self._felt(self._row)
        if felt is not None:
            last = int(felt.nonzero()[-1]) + 1
            self.frames.append(FramesUsed(name, "the decoder", len(felt), last, self._where))
        for frames, lengths in self._ears.ctc:
            if self._row < len(lengths):
                self.frames.append(
                    FramesUsed(name or "ctc_loss", "the CTC loss", frames, lengths[self._row], self._where)
                )

    @property
    def _where(self) -> str:
        return f"row {self._row}"

    def _felt(self, row: int) -> torch.Tensor | None:
        """By how much each frame counts; None where there is one score for all of a row, or one frame that is read."""
        hidden, logits = self._hidden, self._logits
        if hidden is None or logits is None or logits.dim() != 3 or not (logits.requires_grad and hidden.requires_grad):
            return None
        if row >= min(len(logits), len(hidden)):
            return None
        score = logits[row].float().square().sum()
        (felt,) = torch.autograd.grad(score, hidden, retain_graph=True, allow_unused=True)
        counts = None if felt is None else felt[row].abs().amax(-1)
        return counts if counts is not None and int((counts != 0).sum()) > 1 else None

    def _keep(self, module: Any, given: Any, output: Any) -> None:
        hidden = getattr(output, "last_hidden_state", output[0] if isinstance(output, tuple) else output)
        if isinstance(hidden, torch.Tensor) and hidden.dim() == 3:
            self._hidden = hidden

    def _see(self, module: Any, given: Any, output: Any) -> None:
        self._logits = logits_of(output)


def encoder_of(model: torch.nn.Module) -> tuple[str, torch.nn.Module] | None:
    """By the model's own word, or the outermost part of that name."""
    own = getattr(model, "get_encoder", None)
    try:
        told = own() if callable(own) else None
    except Exception:  # models without one inherit the method all the same
        told = None
    for name, module in model.named_modules():
        if name and (module is told or (told is None and name.rpartition(".")[2] == "encoder")):
            return name, module
    return None


def whole_row(batch: Any) -> int | None:
    """The row that fills the batch from end to end, by every mask and length beside the input; else by its own end."""
    read = input_of(batch)
    if read is None or read[1].dim() < 2:
        return None
    given, sides = read[1], read[1].shape[1:]
    masks = [value for name, value in tensors(batch) if name in MASKS and value.dim() in (1, 2)]
    sizes = [(mask != 0).sum(1) if mask.dim() == 2 else mask for mask in masks]
    sizes += [value for name, value in tensors(batch) if name not in MASKS and _may_be_lengths(value, given)]
    for row in range(len(given)):
        fills = all(int(size[row]) in sides for size in sizes if row < len(size))
        if fills and (sizes or not _is_filled_up(given[row])):
            return row
    return None


def _may_be_lengths(value: torch.Tensor, given: torch.Tensor) -> bool:
    """Under whatever name: one whole number for each row, of which the largest is a side of the input."""
    whole = value.dim() == 1 and len(value) == len(given) and not value.is_floating_point()
    return whole and int(value.max()) in given.shape[1:]


def _is_filled_up(row: torch.Tensor) -> bool:
    """Along some side it ends in one value alone; of token ids nobody can tell."""
    if not row.is_floating_point():
        return True
    ends = [row.narrow(axis, size - 1, 1) for axis, size in enumerate(row.shape)]
    return any(bool((end == end.flatten()[0]).all()) for end in ends if end.numel() > 1 or row.dim() == 1)
