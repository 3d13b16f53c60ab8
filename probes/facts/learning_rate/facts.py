"""The learning rate at the height of its schedule, walked for some updates with the run's own optimiser."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.core.step_setup import LabelsOf, StepSetup
from probes.facts.core.types import FirstLoss
from probes.facts.first_step.types import FirstStep
from probes.facts.learning_rate.types import SEEN, RateSweep, RateTrial, ScheduleCurve

if TYPE_CHECKING:
    from torch.nn import Module

    from probes.facts.learning_rate.rate_trial import RateTrialSetup

BATCHES = 6
SECONDS = 30.0  # for two walks; where they would take longer, it is skipped and said so
LONG = 200  # updates: a shorter run is a rehearsal, and learns as much as it can
CLIP = 1.0  # where nobody says: with Adam it changes little, and an unclipped explosion is told by others


@provider
def rate_trial_setup(
    step_setup: StepSetup,
    train_batches: Any,
    optimizer: Any,
    schedule_curve: ScheduleCurve | None = None,
    training_arguments: Any = None,
    precision: str = "fp32",
    trainer: Any = None,
) -> "RateTrialSetup":
    """Batches, optimizer and rate, as the run will have them.

    It holds live objects, since `rate_trial` and `rate_sweep` share its batches: each of its own would be drawn again.
    """
    from probes.facts.core.batches import draw
    from probes.facts.core.optimizers import peak_rate, steps_without_closure
    from probes.facts.learning_rate.rate_trial import RateTrialSetup

    inner = getattr(optimizer, "optimizer", optimizer)
    if not hasattr(inner, "param_groups") or not hasattr(inner, "state") or not steps_without_closure(inner):
        raise NotApplicable(f"{type(inner).__name__} is no optimiser whose rate could be set for one update")
    drawn = draw(train_batches, BATCHES)
    if drawn.failure is not None or not drawn.batches:
        raise NotApplicable("no batches can be drawn for it")
    rates = [rate for rate in map(peak_rate, inner.param_groups) if rate is not None]
    peak = schedule_curve.peak if schedule_curve is not None else max(rates, default=0.0)
    warms_up = schedule_curve is not None and schedule_curve.first < 0.5 * schedule_curve.peak
    model, loss = step_setup.model, step_setup.compute_loss
    around = nullcontext if trainer is not None else _around(model, precision)
    books = (*step_setup.also_restore, step_setup.grad_scaler)
    return RateTrialSetup(model, drawn.batches, loss, inner, peak, warms_up, _clip(training_arguments), around, books)


@provider
def rate_trial(
    rate_trial_setup: "RateTrialSetup",
    first_step: FirstStep,
    labels_of: LabelsOf,
    total_steps: int | None = None,
    precision: str = "fp32",
) -> RateTrial:
    """Twenty updates at the peak; where they leave a doubt, further walks within the time."""
    from dataclasses import replace

    from probes.facts.learning_rate.rate_trial import UPDATES, try_rates

    if first_step.failure is not None:
        raise NotApplicable("the first step fails already")
    one = first_step.forward_seconds + first_step.backward_seconds
    if UPDATES * 2 * one > SECONDS:
        raise NotApplicable(f"an update takes {one:.1f} s, so that it would take {UPDATES * 2 * one:.0f} s at least")
    steps = total_steps if isinstance(total_steps, int) and total_steps > 0 else None
    floor = _floor(rate_trial_setup.batches, labels_of)
    found = try_rates(rate_trial_setup, floor, steps, SECONDS, _needed(first_step.loss, floor, steps))
    return replace(found, precision=precision, estimate=UPDATES * 2 * one)


@provider
def rate_sweep(rate_trial_setup: "RateTrialSetup") -> RateSweep:
    """For `diagnose overfit`: which rates would do."""
    from probes.facts.learning_rate.rate_trial import sweep

    if rate_trial_setup.peak <= 0:
        raise NotApplicable("the learning rate is nought")
    return sweep(rate_trial_setup)


def _clip(arguments: Any) -> float:
    from probes.facts.settings.hf_arguments import as_mapping

    said = as_mapping(arguments).get("max_grad_norm") if arguments is not None else None
    return float(said) if isinstance(said, int | float) and said > 0 else CLIP


def _around(model: "Module", precision: str) -> Any:
    """Autocast where the device has it; fp16 needs a GPU, and is left out elsewhere."""
    import torch

    device = next((weight.device.type for weight in model.parameters()), "cpu")
    kinds: Mapping[str, Any] = {"bf16": torch.bfloat16, **({"fp16": torch.float16} if device == "cuda" else {})}
    if precision not in kinds:
        return nullcontext
    return lambda: torch.autocast(device, dtype=kinds[precision])


def _needed(loss: FirstLoss | None, floor: float | None, steps: int | None) -> float:
    """Of the loss: down to the labels' statistics, where the model begins with less than these; else what is seen."""
    begins = loss.cross_entropy if loss is not None else None
    if not begins or floor is None or steps is None or steps < LONG:
        return SEEN
    return max(SEEN, 1 - floor / begins)


def _floor(batches: Any, labels_of: LabelsOf) -> float | None:
    from probes.facts.core.batch_rows import rows_of
    from probes.facts.core.numbers import unigram_entropy

    rows = [[token for token in row if token >= 0] for batch in batches for row in rows_of(labels_of(batch))]
    return unigram_entropy(rows) if rows else None
