"""Runs the drawn batches once in evaluation mode: what the decoder reads, what it follows, what CTC has to align."""

from collections.abc import Sequence
from itertools import pairwise, takewhile
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch
from probes.facts.core.failure import one_line
from probes.facts.core.model_output import NoLoss, logits_of
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import ComputeLoss, StepSetup
from probes.facts.core.token_tables import decoder_embedding
from probes.facts.labels.label_influence import first_influenced_position
from probes.facts.labels.label_rows import strip_tail
from probes.facts.labels.types import CtcRow, EvalForward


def run_eval_forward(setup: StepSetup, batches: Sequence[Any]) -> EvalForward:
    """Only the first batch where the loss has no CTC part: one pass, and one more with some labels changed."""
    model, compute_loss, labels_of = setup.model, setup.compute_loss, setup.labels_of
    with restore_afterwards(model, others=setup.also_restore), torch.no_grad(), _EvalForwardSpy(model) as ears:
        model.eval()
        try:
            loss = ears.run(compute_loss, batches[0], 0)
            given = ears.read_beside(labels_of(batches[0]))
            follows = first_influenced_position(
                batches[0], labels_of, ears.logits, lambda other: ears.score(compute_loss, other)
            )
            for number, batch in enumerate(batches[1:] if ears.rows else (), start=1):
                ears.run(compute_loss, batch, number)
        except NoLoss:
            raise
        except Exception as error:
            return EvalForward(failure=f"{type(error).__name__}: {one_line(str(error))}")
        return EvalForward(loss, given, follows, tuple(ears.rows))


class _EvalForwardSpy(TorchFunctionMode):
    """Hears every CTC loss, what the decoder's embedding looks up, and the model's output."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model
        self.rows: list[CtcRow] = []
        self.reads: list[torch.Tensor] = []
        self.logits: torch.Tensor | None = None
        self.number = 0
        self.listening = True

    def __enter__(self) -> "_EvalForwardSpy":
        super().__enter__()
        self.handles = [self.model.register_forward_hook(self._see)]
        embedding = decoder_embedding(self.model)
        self.handles += [embedding.register_forward_pre_hook(self._read)] if embedding is not None else []
        return self

    def __exit__(self, *error: Any) -> None:
        for handle in self.handles:
            handle.remove()
        super().__exit__(*error)

    def run(self, compute_loss: ComputeLoss, batch: Any, number: int) -> float:
        pass_counter.count_passes()
        self.number = number
        return float(compute_loss(self.model, copy_batch(batch)))

    def score(self, compute_loss: ComputeLoss, batch: Any) -> torch.Tensor | None:
        """The logits of another batch; its CTC part counts for nothing."""
        pass_counter.count_passes()
        self.listening = False
        compute_loss(self.model, batch)
        self.listening = True
        return self.logits

    def read_beside(self, labels: Any) -> tuple[tuple[int, ...], ...]:
        """The last ids of the labels' shape that were looked up: the decoder comes after the encoder."""
        ids = [ids for ids in self.reads if ids.dim() == 2 and ids.shape == getattr(labels, "shape", None)]
        return tuple(tuple(row) for row in ids[-1].tolist()) if ids else ()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if self.listening and getattr(func, "__name__", "") == "ctc_loss":
            self.rows += _ctc_rows(self.number, *args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))

    def _see(self, module: Any, given: Any, output: Any) -> None:
        self.logits = logits_of(output)

    def _read(self, module: torch.nn.Module, given: Any) -> None:
        if self.listening and not self.number and given and isinstance(given[0], torch.Tensor):
            self.reads.append(given[0].detach())


def _ctc_rows(
    batch: int, scores: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, *_: Any, **__: Any
) -> list[CtcRow]:
    """Targets come row by row, or all in one line."""
    lengths, frames = _whole(target_lengths), _whole(input_lengths)
    if targets.dim() == 2:
        rows = [row[:length] for row, length in zip(targets.tolist(), lengths, strict=False)]
    else:
        rows = [part.tolist() for part in targets[: sum(lengths)].split(lengths)]
    return [
        CtcRow(
            where=f"batch {batch}, row {number}",
            symbols=len(row),
            repeats=sum(one == other for one, other in pairwise(row)),
            frames=length,
            blank=blank,
            blanks=strip_tail(row).count(blank),
            last=row[-1],
            tail=sum(1 for _ in takewhile(row[-1].__eq__, reversed(row))),
            full=targets.dim() == 2 and len(row) == targets.shape[1],
        )
        for number, (row, length) in enumerate(zip(rows, frames, strict=False))
        if row
    ]


def _whole(lengths: Any) -> list[int]:
    return torch.as_tensor(lengths).reshape(-1).tolist()
