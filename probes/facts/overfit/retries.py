"""Repeats a failed attempt with one thing changed: a module unfrozen, batch norm on batch statistics."""

from dataclasses import replace

from torch.nn.modules.batchnorm import _BatchNorm

from probes.facts.core.model_parts import restore_weights
from probes.facts.core.snapshot import Snapshot
from probes.facts.overfit.attempt import OverfitAttempt
from probes.facts.overfit.detail_types import OverfitVariant
from probes.facts.overfit.idle_modules import weights_of
from probes.facts.overfit.loss_targets import LossTargetReader
from probes.facts.overfit.stepper import OverfitSetup, RateGroup
from probes.facts.overfit.types import OverfitResult, TrainModeResult

AGAIN = 60  # updates
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
    trial = OverfitAttempt(subject, reader, AGAIN).learn()
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
        trial = OverfitAttempt(replace(subject, groups=(*subject.groups, RateGroup(free))), reader, AGAIN).learn()
        for weight in free:
            weight.requires_grad_(False)
        now, before_it = trial.totals.cross_entropy, found.cross_entropy
        if trial.ended == "learnt" or (now is not None and before_it is not None and now < 0.5 * before_it):
            return OverfitVariant(part.module, trial.curve[-1], trial.totals.accuracy, len(trial.curve))
    return None
