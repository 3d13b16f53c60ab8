"""Counts the frames of the encoder's output that the loss reads, for a row that has no padding."""

from collections.abc import Iterator
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

from probes.facts.core.batch_rows import MASKS, input_of, tensors
from probes.facts.core.ctc_call import CtcSpy
from probes.facts.core.output_hook import OutputHook
from probes.facts.loss.types import FramesUsed


class EncoderFrameProbe(OutputHook):
    """Hooks on the encoder and on the whole model while one batch runs; call `count` before the backward pass."""

    def __init__(self, model: torch.nn.Module, batch: Any) -> None:
        super().__init__(model, keep_graph=True)
        self.spies = (ctc := CtcSpy(),)
        self._encoder, self._row, self._ctc = encoder_of(model), whole_row(batch), ctc
        self._hidden: torch.Tensor | None = None
        self.frames: list[FramesUsed] = []

    def handles(self) -> Iterator[RemovableHandle]:
        yield from super().handles()
        if self._encoder:
            yield self._encoder[1].register_forward_hook(self._on_hidden)

    def __exit__(self, *error: Any) -> None:
        super().__exit__(*error)
        self._hidden = self.logits = self.live = None

    def count(self) -> None:
        """A frame whose change would change no score is hidden from the decoder."""
        if self._row is None:
            return
        name, where = self._encoder[0] if self._encoder else "", f"row {self._row}"
        influence = self._influence(self._row)
        if influence is not None:
            last = int(influence.nonzero()[-1]) + 1
            self.frames.append(FramesUsed(name, "the decoder", len(influence), last, where))
        for call in self._ctc.calls:
            if self._row < len(call.frames):
                frames, last = len(call.log_probs), int(call.frames[self._row])
                self.frames.append(FramesUsed(name or "ctc_loss", "the CTC loss", frames, last, where))

    def _influence(self, row: int) -> torch.Tensor | None:
        """The gradient of each frame; None where there is one score for all of a row, or one frame that is read."""
        hidden, logits = self._hidden, self.live
        if hidden is None or logits is None or logits.dim() != 3 or not (logits.requires_grad and hidden.requires_grad):
            return None
        if row >= min(len(logits), len(hidden)):
            return None
        score = logits[row].float().square().sum()
        (gradient,) = torch.autograd.grad(score, hidden, retain_graph=True, allow_unused=True)
        sizes = None if gradient is None else gradient[row].abs().amax(-1)
        return sizes if sizes is not None and int((sizes != 0).sum()) > 1 else None

    def _on_hidden(self, module: Any, args: Any, output: Any) -> None:
        hidden = getattr(output, "last_hidden_state", output[0] if isinstance(output, tuple) else output)
        if isinstance(hidden, torch.Tensor) and hidden.dim() == 3:
            self._hidden = hidden


def encoder_of(model: torch.nn.Module) -> tuple[str, torch.nn.Module] | None:
    """By get_encoder(), or the outermost module of that name."""
    get = getattr(model, "get_encoder", None)
    try:
        encoder = get() if callable(get) else None
    except Exception:  # models without one inherit the method all the same
        encoder = None
    for name, module in model.named_modules():
        if name and (module is encoder or (encoder is None and name.rpartition(".")[2] == "encoder")):
            return name, module
    return None


def whole_row(batch: Any) -> int | None:
    """The row that fills the batch from end to end, by every mask and length beside the input; else by its own end."""
    read = input_of(batch)
    if read is None or read[1].dim() < 2:
        return None
    inputs, sides = read[1], read[1].shape[1:]
    masks = [value for name, value in tensors(batch) if name in MASKS and value.dim() in (1, 2)]
    sizes = [(mask != 0).sum(1) if mask.dim() == 2 else mask for mask in masks]
    sizes += [value for name, value in tensors(batch) if name not in MASKS and _may_be_lengths(value, inputs)]
    for row in range(len(inputs)):
        fills = all(int(size[row]) in sides for size in sizes if row < len(size))
        if fills and (sizes or not _is_filled_up(inputs[row])):
            return row
    return None


def _may_be_lengths(value: torch.Tensor, inputs: torch.Tensor) -> bool:
    """Under whatever name: one whole number for each row, of which the largest is a side of the input."""
    whole = value.dim() == 1 and len(value) == len(inputs) and not value.is_floating_point()
    return whole and int(value.max()) in inputs.shape[1:]


def _is_filled_up(row: torch.Tensor) -> bool:
    """Along some side it ends in one value alone; of token ids nobody can tell."""
    if not row.is_floating_point():
        return True
    ends = [row.narrow(axis, size - 1, 1) for axis, size in enumerate(row.shape)]
    return any(bool((end == end.flatten()[0]).all()) for end in ends if end.numel() > 1 or row.dim() == 1)
