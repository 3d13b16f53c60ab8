"""Precision: first offenders, modules kept in float32, and silence on healthy models."""

from __future__ import annotations

from collections.abc import Iterator

import diagnose
from probes.facts.core.hooks import removed_afterwards
from probes.facts.precision.minimal_fp32_set import minimal_fp32_set
from probes.facts.precision.precision_runs import PrecisionMode, find_origin_in, try_precision
from probes.facts.precision.range_prediction import OverflowPrediction
from probes.facts.precision.range_recorder import record_ranges
from probes.facts.precision.types import FORMATS
from probes.healthy import NAMES, healthy
from tests.bench.report import Measured
from tests.support.fp16_overflow_models import HARMLESS, OVERFLOWS, PARTS, overflowing
from trainer.models.keep_fp32 import keep_fp32

SEEDS = (0, 1, 2)
ARMS = {
    "autocast": PrecisionMode("fp16", "cpu"),
    "half": PrecisionMode("fp16", "pure"),
    "gpu_list": PrecisionMode("fp16", "gpu"),
}


def offenders() -> Measured:
    """Where the 16-bit pass is not finite: the ranges of one float32 pass against its replay."""
    figures: dict[str, dict[str, int]] = {way: {"tried": 0, "equal": 0, "finite": 0, "refused": 0} for way in ARMS}
    other = []
    for architecture in PARTS:
        for name in (*OVERFLOWS, *HARMLESS):
            for seed in SEEDS:
                for way, found in _compared(architecture, name, seed):
                    figures[way]["tried"] += found in ("equal", "other")
                    figures[way].update({found: figures[way][found] + 1} if found != "other" else {})
                    other += [f"{way} {architecture} {name} {seed}"] if found == "other" else []
    kinds = {"overflows": len(OVERFLOWS), "harmless": len(HARMLESS), "other": "; ".join(other) or "none"}
    return Measured({**kinds, **figures}, f"{len(SEEDS)} seeds, {len(PARTS)} architectures")


def _compared(architecture: str, name: str, seed: int) -> Iterator[tuple[str, str]]:
    """Of each arm: finite, refused (types that do not go together), equal or other."""
    broken = overflowing(architecture, name, seed)
    subject = broken.subject()
    results, _ = record_ranges(subject, broken.batch, FORMATS["fp16"])
    for way, arm in ARMS.items():
        tried = try_precision(subject, broken.batch, arm)
        if tried.types is None or tried.finite:
            yield way, "finite" if tried.finite else "refused"
            continue
        said = next(OverflowPrediction(results, tried.types, FORMATS["fp16"], arm.rules == "pure").offenders(), None)
        real = find_origin_in(subject, broken.batch, arm)
        both = [None if one is None else (one.module, one.call, one.operation) for one in (said, real)]
        yield way, "equal" if said is not None and both[0] == both[1] else "other"


def fp32_sets() -> Measured:
    """Found, tried again with real half kernels, and tried without each one of its modules."""
    tried, verified, minimal, none = 0, 0, 0, []
    arm = ARMS["autocast"]
    for architecture in PARTS:
        for name in OVERFLOWS:
            broken = overflowing(architecture, name)
            subject = broken.subject()
            if try_precision(subject, broken.batch, arm).finite:
                continue
            tried += 1
            origin = find_origin_in(subject, broken.batch, arm)
            names = minimal_fp32_set(subject, broken.batch, arm, keep_fp32, [origin.module] if origin else [])
            if names is None:
                none.append(f"{architecture} {name}")
                continue
            verified += _holds(subject, broken.batch, arm, names)
            rests = [tuple(other for other in names if other != one) for one in names]
            minimal += not any(_holds(subject, broken.batch, arm, rest) for rest in rests)
    figures = {"tried": tried, "verified": verified, "minimal": minimal, "without": "; ".join(none) or "none"}
    return Measured(figures, "1 seed")


def _holds(subject: object, batch: object, arm: PrecisionMode, names: tuple[str, ...]) -> bool:
    with removed_afterwards(keep_fp32(subject.model, names)):  # type: ignore[attr-defined]
        return try_precision(subject, batch, arm).finite  # type: ignore[arg-type]


def healthy_alarms() -> Measured:
    """The precision stage on healthy subjects, in fp16 and bf16; and how near they come to each threshold."""
    tried, alarms, worst = 0, [], {"off_over_rounding": 0.0, "lost": 0.0, "least_bits": 99.0}
    for name in NAMES:
        for seed in range(10):
            for precision in ("fp16", "bf16"):
                tried += 1
                facts = {**healthy(name, seed), "precision": precision}
                report = diagnose.preflight(stages=["precision"], everything=True, **facts)
                alarms += [f"{name} {seed} {precision} {f.probe} {f.where}" for f in report.findings]
                alarms += [f"{name} {seed} {precision} {o.probe} {o.status}" for o in report.outcomes if not o.ran]
                _worst(worst, facts, precision)
    return Measured({"tried": tried, "alarms": len(alarms), "which": "; ".join(alarms) or "none", **worst}, "10 seeds")


def _worst(worst: dict[str, float], facts: dict[str, object], precision: str) -> None:
    from diagnose.engine.engine import installed

    found = installed().context(facts).get("precision_comparison")
    for run in found.runs[1:]:
        off = abs(run.loss - found.reference.loss) - 4 * FORMATS[precision].rounding * abs(found.reference.loss)
        worst["off_over_rounding"] = max(worst["off_over_rounding"], off / max(found.rounding_noise, 1e-12))
        worst["lost"] = max(worst["lost"], *(share.lost for share in run.gradients if share.trains), 0.0)
        worst["least_bits"] = min(worst["least_bits"], run.headroom[0].bits)


MEASUREMENTS = {"offenders": offenders, "fp32_sets": fp32_sets, "healthy": healthy_alarms}
