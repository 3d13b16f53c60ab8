"""The learning rate at the height of its schedule, walked for some updates with the run's own optimiser."""

from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.core.step_setup import LabelsOf, StepSetup
from probes.facts.first_step.types import FirstStep
from probes.facts.learning_rate.shortfall import change_needed
from probes.facts.learning_rate.types import RatePlan, RateSweep, RateTrial, ScheduleCurve

if TYPE_CHECKING:
    from probes.facts.learning_rate.rate_trial import RateTrialSetup

BATCHES = 6
CLIP = 1.0  # where nobody says: with Adam it changes little, and an unclipped explosion is told by others


@provider
def rate_plan(
    optimizer: Any,
    schedule_curve: ScheduleCurve | None = None,
    training_arguments: Any = None,
    precision: str = "fp32",
    trainer: Any = None,
) -> RatePlan:
    """The peak rate, clipping and precision, as the run will have them."""
    from probes.facts.core.optimizers import peak_rate, steps_without_closure

    inner = getattr(optimizer, "optimizer", optimizer)
    if not hasattr(inner, "param_groups") or not hasattr(inner, "state") or not steps_without_closure(inner):
        raise NotApplicable(f"{type(inner).__name__} is not an optimizer whose learning rate can be set for one update")
    rates = [rate for rate in map(peak_rate, inner.param_groups) if rate is not None]
    peak = schedule_curve.peak if schedule_curve is not None else max(rates, default=0.0)
    warms_up = schedule_curve is not None and schedule_curve.first < 0.5 * schedule_curve.peak
    return RatePlan(peak, warms_up, _clip(training_arguments), precision if trainer is None else "")


@provider
def rate_trial(
    step_setup: StepSetup,
    train_batches: Any,
    optimizer: Any,
    rate_plan: RatePlan,
    first_step: FirstStep,
    labels_of: LabelsOf,
    total_steps: int | None = None,
    precision: str = "fp32",
) -> RateTrial:
    """Twenty updates at the peak; where they leave a doubt, further walks within the time."""
    from dataclasses import replace

    from probes.facts.learning_rate.rate_trial import try_rates

    if first_step.failure is not None:
        raise NotApplicable("the first step fails")
    steps = total_steps if isinstance(total_steps, int) and total_steps > 0 else None
    setup = _setup(rate_plan, step_setup, train_batches, optimizer)
    floor = _floor(setup.batches, labels_of)
    begins = first_step.loss.cross_entropy if first_step.loss is not None else None
    found = try_rates(setup, floor, steps, change_needed(begins, floor, steps))
    return replace(found, precision=precision)


@provider
def rate_sweep(step_setup: StepSetup, train_batches: Any, optimizer: Any, rate_plan: RatePlan) -> RateSweep:
    """For `diagnose overfit`: which rates would do."""
    from probes.facts.learning_rate.rate_sweep import sweep

    if rate_plan.peak <= 0:
        raise NotApplicable("the learning rate is zero")
    return sweep(_setup(rate_plan, step_setup, train_batches, optimizer))


def _setup(plan: RatePlan, step_setup: StepSetup, train_batches: Any, optimizer: Any) -> "RateTrialSetup":
    from probes.facts.core.batches import draw
    from probes.facts.learning_rate.rate_trial import RateTrialSetup

    drawn = draw(train_batches, BATCHES)
    if drawn.failure is not None or not drawn.batches:
        raise NotApplicable("no batches can be drawn")
    others = (*step_setup.also_restore, step_setup.grad_scaler)
    inner = getattr(optimizer, "optimizer", optimizer)
    return RateTrialSetup(plan, step_setup.model, drawn.batches, step_setup.compute_loss, inner, others)


def _clip(arguments: Any) -> float:
    from probes.facts.settings.hf_arguments import as_mapping

    said = as_mapping(arguments).get("max_grad_norm") if arguments is not None else None
    return float(said) if isinstance(said, int | float) and said > 0 else CLIP


def _floor(batches: Any, labels_of: LabelsOf) -> float | None:
    from probes.facts.core.batch_rows import rows_of
    from probes.facts.core.numbers import unigram_entropy

    rows = [[token for token in row if token >= 0] for batch in batches for row in rows_of(labels_of(batch))]
    return unigram_entropy(rows) if rows else None
