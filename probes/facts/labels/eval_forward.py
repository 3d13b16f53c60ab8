"""Runs the drawn batches once in evaluation mode: the decoder's inputs, their influence, the targets of CTC."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile
from typing import Any

import torch
from torch.utils.hooks import RemovableHandle

from diagnose.engine import pass_counter
from probes.facts.core.batches import copy_batch
from probes.facts.core.ctc_call import CtcSpy
from probes.facts.core.failure import one_line
from probes.facts.core.model_output import NoLoss
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.output_hook import OutputHook
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.tokens import decoder_embedding
from probes.facts.labels.label_influence import first_influenced_position
from probes.facts.labels.label_rows import strip_tail
from probes.facts.labels.target_leak import NextTokenSpy, leak_distance
from probes.facts.labels.types import CtcRow, EvalForward


def run_eval_forward(setup: StepSetup, batches: Sequence[Any]) -> EvalForward:
    """Only the first batch where the loss has no CTC part: one pass, and one more with some labels changed."""
    model, labels_of = setup.model, setup.labels_of
    restored = restore_afterwards(model, others=setup.also_restore)
    with restored, torch.no_grad(), CtcSpy() as ctc, _DecoderHook(model) as hook:
        model.eval()

        def logits_for(batch: Any) -> torch.Tensor | None:
            _loss(setup, batch)
            return hook.logits

        try:
            with NextTokenSpy() as asked:
                loss = _loss(setup, batches[0])
            rows, inputs = _ctc_rows(0, ctc), hook.inputs_like(labels_of(batches[0]))
            scores = hook.logits
            follows = first_influenced_position(batches[0], labels_of, scores, logits_for)
            follows = leak_distance(batches[0], asked.targets, scores, logits_for) if follows is None else follows
            for number, batch in enumerate(batches[1:] if rows else (), start=1):
                ctc.calls.clear()
                _loss(setup, batch)
                rows += _ctc_rows(number, ctc)
        except NoLoss:
            raise
        except Exception as error:
            return EvalForward(failure=f"{type(error).__name__}: {one_line(str(error))}")
        return EvalForward(loss, inputs, follows, tuple(rows))


def _loss(setup: StepSetup, batch: Any) -> float:
    pass_counter.count_passes()
    return float(setup.compute_loss(setup.model, copy_batch(batch)))


class _DecoderHook(OutputHook):
    """Records what the decoder's embedding looks up, too."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__(model)
        self.reads: list[torch.Tensor] = []

    def handles(self) -> Iterator[RemovableHandle]:
        yield from super().handles()
        if (embedding := decoder_embedding(self.model)) is not None:
            yield embedding.register_forward_pre_hook(self._on_input)

    def _on_input(self, module: torch.nn.Module, args: Any) -> None:
        if args and isinstance(args[0], torch.Tensor):
            self.reads.append(args[0].detach())

    def inputs_like(self, labels: Any) -> tuple[tuple[int, ...], ...]:
        """The last ids of the labels' shape that were looked up: the decoder comes after the encoder."""
        ids = [ids for ids in self.reads if ids.dim() == 2 and ids.shape == getattr(labels, "shape", None)]
        return tuple(tuple(row) for row in ids[-1].tolist()) if ids else ()


def _ctc_rows(batch: int, ctc: CtcSpy) -> list[CtcRow]:
    return [
        CtcRow(
            where=f"batch {batch}, row {number}",
            symbols=len(row),
            repeats=sum(one == other for one, other in pairwise(row)),
            frames=length,
            blank=call.blank,
            blanks=strip_tail(row).count(call.blank),
            last=row[-1],
            tail=sum(1 for _ in takewhile(row[-1].__eq__, reversed(row))),
            full=call.targets.dim() == 2 and len(row) == call.targets.shape[1],
        )
        for call in ctc.calls
        for number, (row, length) in enumerate(zip(call.target_rows, call.frames.tolist(), strict=False))
        if row
    ]
