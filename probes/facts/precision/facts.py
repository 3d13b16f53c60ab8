"""What the run would meet in 16 bits: looked at where it is to be trained in fp16 or bf16."""

from dataclasses import replace
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, NotGiven
from probes.facts.core.step_setup import StepSetup
from probes.facts.precision.types import PrecisionComparison
from probes.facts.settings.types import SettingLocation


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
    step_setup: StepSetup,
    batch: Any,
    target_precision: str,
    keep_fp32: Any = None,
    present_devices: tuple[str, ...] = ("cpu",),
) -> PrecisionComparison:
    """float32 and the run's own precision: after the list of a GPU, and where there is none, also after a CPU's."""
    from probes.facts.precision.precision_runs import CPU, GPU, PrecisionMode

    if target_precision not in ("fp16", "bf16"):
        raise NotApplicable(f"the run is in {target_precision}")
    alone = present_devices == ("cpu",)
    rules = (GPU, CPU) if alone and target_precision == "fp16" else (CPU,) if alone else (GPU,)
    arms = tuple(PrecisionMode(target_precision, rule) for rule in rules)
    return _compared(step_setup, batch, target_precision, arms, keep_fp32)


@provider
def precision_comparison_all(
    step_setup: StepSetup,
    batch: Any,
    nan_search_options: dict[str, Any],
    target_precision: str = "fp16",
    keep_fp32: Any = None,
) -> PrecisionComparison:
    """Every precision, for a person: the one that was asked for, else the run's, else fp16, is judged."""
    from probes.facts.precision.precision_runs import CPU, GPU, PURE, PrecisionMode

    asked = nan_search_options.get("precision") or (target_precision if target_precision != "fp32" else "fp16")
    fp16 = tuple(PrecisionMode("fp16", rules) for rules in (PURE, CPU, GPU))
    bf16 = tuple(PrecisionMode("bf16", rules) for rules in (CPU, GPU)[: 2 if asked == "bf16" else 1])
    return _compared(step_setup, nan_search_options.get("batch", batch), asked, fp16 + bf16, keep_fp32)


def _compared(setup: StepSetup, batch: Any, asked: str, arms: Any, keep: Any) -> PrecisionComparison:
    from probes.facts.nonfinite.traced_step import AutocastSetup, unwrapped
    from probes.facts.precision.compare import compare

    setup = replace(setup, model=unwrapped(setup.model))
    return compare(AutocastSetup(**vars(setup)), batch, asked, arms, keep)
