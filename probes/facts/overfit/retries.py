"""Further trials: unfrozen modules, batch statistics, and the user's own step where no loss is known."""

import time
from dataclasses import replace
from typing import Any

from torch.nn.modules.batchnorm import _BatchNorm

from probes.facts.core.model_parts import restore_weights, trainable
from probes.facts.core.snapshot import Snapshot
from probes.facts.core.step_setup import StepSetup
from probes.facts.first_step.own_step import OwnSteps, Step, own_steps
from probes.facts.overfit.attempt import OverfitAttempt
from probes.facts.overfit.detail_types import NonfiniteGradient, OverfitVariant, TrainModeResult
from probes.facts.overfit.idle_modules import weights_of
from probes.facts.overfit.loss_targets import LossTargetReader
from probes.facts.overfit.outcome import TENTH
from probes.facts.overfit.stepper import OverfitSetup, RateGroup
from probes.facts.overfit.types import OverfitResult

CALLS = 30  # of the step: enough to leave the first weights behind, and for NaN to spread
MOVES = "the weights change; the return value of training_step is not a loss that must decrease"


def overfit_by_own_steps(setup: StepSetup, step: Step, batch: Any) -> OverfitResult:
    """Adversaries and policies have no loss that must fall: then it is enough that weights move and stay finite."""
    start = time.perf_counter()
    with own_steps(setup, step, batch) as steps:
        broken = None
        while len(steps.losses) < CALLS and broken is None:
            steps.call()
            bad = steps.nonfinite()
            broken = NonfiniteGradient(len(steps.losses), steps.losses[-1], tuple(bad)) if bad else None
        return _result(steps, broken, time.perf_counter() - start)


def _result(steps: OwnSteps, broken: NonfiniteGradient | None, seconds: float) -> OverfitResult:
    losses, moved = tuple(steps.losses), len(steps.moved())
    fell = losses[0] - losses[-1] > TENTH * abs(losses[0])
    ended = "not finite" if broken else "learnt" if fell and moved else MOVES if moved else "stuck"
    return OverfitResult(
        where="batch 0",
        rows=0,
        curve=losses,
        seconds=seconds,
        ended=ended,
        rate=0.0,
        first=losses[0],
        final=losses[-1],
        loss_fell=fell,
        optimized_tensors=moved,
        trainable=len(trainable(steps.model)),
        nonfinite=broken,
        by_own_step=True,
        notes=(f"training_step itself, {len(losses)} calls on the first batch",),
    )


UPDATES = 60  # updates
TRIALS = 2  # parts that are set free, one after the other


def retry_with_batch_stats(
    subject: OverfitSetup, reader: LossTargetReader, before: Snapshot, found: OverfitResult
) -> TrainModeResult | None:
    """Batch norms that were left in evaluation mode, and use statistics of something else, switched to training."""
    norms = [(name, one) for name, one in subject.model.named_modules() if isinstance(one, _BatchNorm)]
    asleep = [(name, one) for name, one in norms if not one.training and one.track_running_stats]
    if not asleep:
        return None
    restore_weights(subject.model, before)
    for _, norm in asleep:
        norm.training = True
    trial = OverfitAttempt(subject, reader, UPDATES).learn()
    for _, norm in asleep:
        norm.training = False
    if trial.ended != "learnt":
        return None
    name, norm = asleep[0]
    return TrainModeResult(found.final, found.cross_entropy, 0, guilty=name, kind=type(norm).__name__)


def retry_unfrozen(
    subject: OverfitSetup, reader: LossTargetReader, found: OverfitResult, before: Snapshot
) -> OverfitVariant | None:
    """Unfreezes the frozen modules one by one, the last first, until one halves what is left."""
    model = subject.model
    for part in found.frozen[:TRIALS]:
        restore_weights(model, before)
        weights = [weight for weight in weights_of(model, part) if weight.is_floating_point()]
        for weight in weights:
            weight.requires_grad_(True)
        held = {id(weight) for group in subject.groups for weight in group.weights}
        free = tuple(weight for weight in weights if id(weight) not in held)
        trial = OverfitAttempt(replace(subject, groups=(*subject.groups, RateGroup(free))), reader, UPDATES).learn()
        for weight in free:
            weight.requires_grad_(False)
        now, before_it = trial.totals.cross_entropy, found.cross_entropy
        if trial.ended == "learnt" or (now is not None and before_it is not None and now < 0.5 * before_it):
            return OverfitVariant(part.module, trial.curve[-1], trial.totals.accuracy, len(trial.curve))
    return None
