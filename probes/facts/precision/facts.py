"""What the run would meet in 16 bits: looked at where it is to be trained in fp16 or bf16."""

from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, NotGiven
from probes.facts.hf_trainer.mutable_state import mutable_state_of
from probes.facts.precision.types import PrecisionComparison
from probes.facts.settings.types import SettingLocation

if TYPE_CHECKING:
    from torch.nn import Module


@provider
def target_precision(
    precision: str | None = None, fp16_setting: SettingLocation | None = None, training_arguments: Any = None
) -> str:
    """What the run asks for, also where there is no GPU and a trainer would leave it out."""
    if fp16_setting is not None:
        return "fp16"
    if precision is not None:
        return precision
    if training_arguments is None:
        raise NotGiven("not given: precision")
    said = training_arguments if isinstance(training_arguments, dict) else vars(training_arguments)
    return "bf16" if said.get("bf16") else "fp32"


@provider
def precision_comparison(
    model: "Module",
    batch: Any,
    target_precision: str,
    compute_loss: Any = None,
    keep_fp32: Any = None,
    grad_scaler: Any = None,
    present_devices: tuple[str, ...] = ("cpu",),
    trainer: Any = None,
) -> PrecisionComparison:
    """float32 and the run's own precision: after the list of a GPU, and where there is none, also after a CPU's."""
    from probes.facts.precision.precision_runs import CPU, GPU, PrecisionMode

    if target_precision not in ("fp16", "bf16"):
        raise NotApplicable(f"the run is in {target_precision}")
    alone = present_devices == ("cpu",)
    rules = (GPU, CPU) if alone and target_precision == "fp16" else (CPU,) if alone else (GPU,)
    arms = tuple(PrecisionMode(target_precision, rule) for rule in rules)
    return _compared(model, batch, target_precision, arms, compute_loss, keep_fp32, grad_scaler, trainer)


@provider
def precision_comparison_all(
    model: "Module",
    batch: Any,
    nan_search_options: dict[str, Any],
    target_precision: str = "fp16",
    compute_loss: Any = None,
    keep_fp32: Any = None,
    grad_scaler: Any = None,
    trainer: Any = None,
) -> PrecisionComparison:
    """Every precision, for a person: the one that was asked for, else the run's, else fp16, is judged."""
    from probes.facts.precision.precision_runs import CPU, GPU, PURE, PrecisionMode

    asked = nan_search_options.get("precision") or (target_precision if target_precision != "fp32" else "fp16")
    fp16 = tuple(PrecisionMode("fp16", rules) for rules in (PURE, CPU, GPU))
    bf16 = tuple(PrecisionMode("bf16", rules) for rules in (CPU, GPU)[: 2 if asked == "bf16" else 1])
    given = nan_search_options.get("batch", batch)
    return _compared(model, given, asked, fp16 + bf16, compute_loss, keep_fp32, grad_scaler, trainer)


def _compared(
    model: "Module", batch: Any, asked: str, arms: Any, compute_loss: Any, keep: Any, scaler: Any, trainer: Any
) -> PrecisionComparison:
    from probes.facts.core.model_output import NoLoss, loss_of_output
    from probes.facts.nonfinite.traced_step import StepSetup, unwrapped
    from probes.facts.precision.compare import ReferenceNotFinite, compare

    subject = StepSetup(unwrapped(model), compute_loss or loss_of_output, others=tuple(mutable_state_of(trainer)))
    try:
        return compare(subject, batch, asked, arms, keep, scaler)
    except (ReferenceNotFinite, NoLoss) as reason:
        raise NotApplicable(str(reason)) from reason
