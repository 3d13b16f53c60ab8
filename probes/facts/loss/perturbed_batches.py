"""The loss of two rows, and how it changes with their inputs, labels, order and number."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batch_changes import unlike_rows_first, with_inputs_exchanged, with_other_labels
from probes.facts.core.batch_rows import rows_of_batch, select_rows
from probes.facts.core.hooks import record_modules
from probes.facts.core.model_parts import perturb_weights
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.output_hook import OutputHook
from probes.facts.core.step_setup import LabelsOf, StepSetup
from probes.facts.loss.input_sensitivity import copies_of, hardly_changes, ignores_labels, larger, module_losing_signal
from probes.facts.loss.loss_calls import LossCallSpy
from probes.facts.loss.own_targets import makes_own_targets
from probes.facts.loss.reference_cross_entropy import compare_with_cross_entropy
from probes.facts.loss.scaled_head import HeadHooks, scale_head, with_unreachable
from probes.facts.loss.types import LossCall, LossTrials

FEW = 2  # rows of a trial: two can be exchanged
MORE = 4  # rows that are put into another order, where the first trials are odd
LOOKS = 8  # at a loss that wavers: of ten million draws of normal values none was blamed, with one look 5 %
LEAST, ROUNDINGS = 1e-4, 20  # relative: what sums in another order may differ by, so that no further pass is needed
TF32 = 5e-5  # a sum of many such products: each is rounded to 5e-4


def perturb_batch(setup: StepSetup, batch: Any) -> LossTrials:
    """Forward passes of two rows, dropout off; about one pass of a batch of four, and less of a larger one."""
    model, inputs_of = setup.model, setup.inputs_of
    with restore_afterwards(model, others=setup.also_restore), OutputHook(model) as output:
        model.eval()
        trial = _LossTrial(setup, batch, output)
        trials, pair = trial.first()
        if trials.value in (0.0, float("inf"), float("-inf")) or trials.value != trials.value:
            return trials
        trials = trial.with_labels(trial.with_inputs(trials, pair, inputs_of), pair)
        trials = trial.doubled(trials)
        trials = trial.with_perturbed_weights(trials, pair, inputs_of) if hardly_changes(trials) else trials
        if ignores_labels(trials):
            cuts = [trial.cut([*range(trials.rows)] * times) for times in (1, 2)]
            trials = replace(trials, makes_own_targets=makes_own_targets(setup, cuts))
        return replace(trials, bound=trial.with_larger_head(pair))


class _LossTrial:
    """One model, one batch, and the few ways to run it."""

    def __init__(self, setup: StepSetup, batch: Any, output: OutputHook) -> None:
        self.model, self.compute, self.labels_of = setup.model, setup.compute_loss, setup.labels_of
        self.output = output
        self.rows = rows_of_batch(batch, self.labels_of(batch))
        self.batch = select_rows(batch, unlike_rows_first(batch, self.rows), self.rows)
        self.heads = HeadHooks(self.model)

    def cut(self, numbers: Sequence[int]) -> Any:
        return select_rows(self.batch, numbers, self.rows)

    def run(self, batch: Any, rows: int) -> float:
        pass_counter.count_passes(pass_counter.FORWARD * rows / self.rows)
        with torch.no_grad():
            return float(self.compute(self.model, batch))

    def first(self) -> tuple[LossTrials, Any]:
        """The two rows as they are, with the loss calls recorded and the gradient on the logits alone."""
        rows = min(FEW, self.rows)
        pair = self.cut(range(rows))
        labels = self.labels_of(pair)
        pass_counter.count_passes(pass_counter.FORWARD * rows / self.rows)
        self.output.keep_graph = True
        with torch.enable_grad(), self.heads, LossCallSpy(labels) as spy:
            loss = self.compute(self.model, self.cut(range(rows)))
        self.output.keep_graph = False
        self.calls, self.scores = spy.calls, self.output.logits
        trials = LossTrials(rows, float(loss.detach()), dict(self.output.parts), ctc_slope=spy.ctc_slope(loss))
        trials = compare_with_cross_entropy(trials, loss, labels, self.output)
        eps = max(torch.finfo(loss.dtype).eps, self.heads.eps, TF32 if loss.is_cuda else 0.0)
        return replace(trials, loss_calls=tuple(spy.calls), eps=eps), pair

    def with_inputs(self, trials: LossTrials, pair: Any, inputs_of: LabelsOf | None) -> LossTrials:
        other = with_inputs_exchanged(pair, inputs_of)
        if other is None:
            return trials
        follows = abs(self.run(other, trials.rows) - trials.value)
        before, after = self.scores, self.output.logits
        if before is None or after is None or before.shape != after.shape:
            return replace(trials, loss_change=follows)
        spread = float(before.float().std(correction=0)) + 1e-12
        moved = float((after.float() - before.float()).abs().max()) / spread
        return replace(trials, loss_change=follows, logit_change=moved)

    def with_labels(self, trials: LossTrials, pair: Any) -> LossTrials:
        classes = None if self.scores is None else self.scores.shape[-1]
        other = with_other_labels(pair, self.labels_of, classes)
        return trials if other is None else replace(trials, other_labels=self.run(other, trials.rows))

    def doubled(self, trials: LossTrials) -> LossTrials:
        """Every row twice: a mean stays, a sum doubles, and anything else is looked at in another order."""
        order = [*reversed(range(trials.rows)), *range(trials.rows)]
        twice = self.run(self.cut(order), len(order))
        trials = replace(trials, loss_doubled=twice, parts_twice=dict(self.output.parts))
        growth = trials.growth or 0.0
        slack = max(LEAST, ROUNDINGS * trials.eps)
        if min(abs(growth - 1), abs(growth - 2)) <= slack:
            return trials
        rows = min(MORE, self.rows)
        usual, other = list(range(rows)), [*range(1, -1, -1), *range(2, rows)][:rows]
        one, again, changed = (self.run(self.cut(order), rows) for order in (usual, usual, other))
        if abs(again - one) > slack * abs(one):  # it wavers by itself: one look may have come near by chance
            more = [self.run(self.cut(usual), rows) for _ in range(LOOKS)]
            again = max(again, *more, key=lambda loss: abs(loss - one))
        return replace(trials, in_order=(one, again, changed))

    def with_perturbed_weights(self, trials: LossTrials, pair: Any, inputs_of: LabelsOf | None) -> LossTrials:
        """Once more with all weights perturbed: the logits of a head that starts at zero never change."""
        perturb_weights(self.model.parameters())
        with record_modules(self.model, copies_of) as usual:
            base = replace(trials, value=self.run(self.cut(range(trials.rows)), trials.rows))
        self.scores = self.output.logits
        with record_modules(self.model, copies_of) as other:
            again = self.with_inputs(base, pair, inputs_of)
        again = self.with_labels(again, pair)
        moved = None if again.other_labels is None else again.other_labels - base.value
        return replace(
            trials,
            logit_change=larger(trials.logit_change, again.logit_change),
            loss_change=larger(trials.loss_change, again.loss_change),
            other_labels=trials.other_labels if not moved else trials.value + moved,
            signal_lost_in=module_losing_signal(usual, other),
        )

    def with_larger_head(self, pair: Any) -> Any:
        def run() -> list[LossCall]:
            with self.heads, LossCallSpy(self.labels_of(pair)) as spy:
                self.run(pair, min(FEW, self.rows))
            return spy.calls

        return with_unreachable(scale_head(self.calls, self.heads, run), self.labels_of(self.batch))
