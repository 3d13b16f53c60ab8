"""The comparison of precisions on one batch: float32 with every range, then each 16-bit way with real half kernels."""

import inspect
from collections.abc import Sequence
from dataclasses import replace
from math import floor, isfinite, log2
from typing import Any

from diagnose.engine.context import NotApplicable
from probes.facts.nonfinite.traced_step import DTYPES, AutocastSetup
from probes.facts.precision.autocast_rules import one_type
from probes.facts.precision.format_types import OpRange
from probes.facts.precision.minimal_fp32_set import minimal_fp32_set
from probes.facts.precision.precision_runs import (
    CPU,
    GPU,
    PURE,
    Keep,
    PrecisionMode,
    PrecisionTrial,
    find_origin_in,
    try_precision,
)
from probes.facts.precision.range_prediction import OverflowPrediction
from probes.facts.precision.range_recorder import record_ranges
from probes.facts.precision.rounding_noise import measure_rounding_noise
from probes.facts.precision.types import FORMATS, LossScale, PrecisionComparison, PrecisionRun

DEFAULT_SCALE = 65536.0  # torch.amp.GradScaler's first
ALL = tuple(
    PrecisionMode(precision, rules)
    for precision, rules in (("fp16", PURE), ("fp16", CPU), ("fp16", GPU), ("bf16", CPU))
)


def compare(
    subject: AutocastSetup, batch: Any, target: str, arms: Sequence[PrecisionMode] = ALL, keep: Keep | None = None
) -> PrecisionComparison:
    """`target` is the precision of the run: its rounding and its gradients are measured."""
    with one_type(None):
        results, loss = record_ranges(subject, batch, FORMATS.get(target))
    if loss is None or not isfinite(float(loss)):
        raise NotApplicable(
            "the loss is not finite in float32 either; diagnose nan-bisect finds where the first NaN/Inf appears"
        )
    scale, noise, runs = None, 0.0, [PrecisionRun("fp32", "fp32", "none", float(loss))]
    for arm in arms:
        trial = try_precision(subject, batch, arm)
        run = _run(arm, trial, results)
        if arm.precision == target and arm.rules != PURE and trial.types is not None:
            prediction = OverflowPrediction(results, trial.types, FORMATS[target])
            its = _scale(prediction, subject.grad_scaler) if target == "fp16" else None
            run = replace(run, gradients=prediction.gradients(its.settled if its else 1.0))
            if its is not None:
                run = replace(run, gradient_overflow=prediction.gradient_overflow(1.0 if its.moves else its.start))
            scale = its if scale is None or arm.rules == GPU else scale
            with one_type(None):
                noise = max(noise, measure_rounding_noise(subject, batch, trial.types, FORMATS[target], float(loss)))
        if trial.loss is not None and not trial.finite:
            run = _traced(run, arm, subject, batch, keep if arm.rules != PURE else None)
        runs.append(run)
    return PrecisionComparison(
        target, tuple(runs), scale, noise, _code([run for run in runs if run.precision == target], keep)
    )


def _run(arm: PrecisionMode, trial: PrecisionTrial, results: Sequence[OpRange]) -> PrecisionRun:
    run = PrecisionRun(arm.name, arm.precision, arm.rules, trial.loss, trial.finite, trial.error, trial.fallback_ops)
    form, types = FORMATS[arm.precision], trial.types
    if types is None and arm.rules == PURE:  # it cannot be run here, but then every result is narrow
        types = dict.fromkeys((result.key for result in results), DTYPES[arm.precision])
    if types is None:
        return run
    prediction = OverflowPrediction(results, types, form, arm.rules == PURE)
    return replace(
        run,
        predicted=None if trial.finite else next(prediction.offenders(), None),
        out_of_range=tuple(dict.fromkeys(offender.module for offender in prediction.offenders())),
        headroom=prediction.headroom(),
        collided=prediction.collided(),
    )


def _traced(
    run: PrecisionRun, arm: PrecisionMode, subject: AutocastSetup, batch: Any, keep: Keep | None
) -> PrecisionRun:
    origin = find_origin_in(subject, batch, arm)
    if keep is None or origin is None:
        return replace(run, origin=origin)
    modules = minimal_fp32_set(subject, batch, arm, keep, (*run.out_of_range, origin.module))
    return replace(run, origin=origin, fp32_modules=modules)


def _scale(prediction: OverflowPrediction, scaler: Any) -> LossScale:
    """The scale at which a scaler that halves at every overflow settles; a constant one stays."""
    start, moves, has_scaler = DEFAULT_SCALE, True, scaler is not None
    if has_scaler:
        start = float(scaler.get_scale()) if hasattr(scaler, "get_scale") else float(scaler)
        moves = hasattr(scaler, "get_backoff_factor") and scaler.get_backoff_factor() < 1
    largest = max((share.largest for share in prediction.gradients(1.0)), default=0.0)
    fits = floor(log2(prediction.form.overflow_from / largest)) if largest else 127
    if largest and largest * 2.0**fits >= prediction.form.overflow_from:
        fits -= 1
    return LossScale(start, min(start, 2.0**fits) if moves else start, moves, has_scaler)


def _code(runs: Sequence[PrecisionRun], keep: Keep | None) -> str:
    """The source of what keeps modules in float32, and the call; by device where the two lists want other modules."""
    sets = {run.rules: list(run.fp32_modules or ()) for run in runs if run.rules in (CPU, GPU) and not run.error}
    module = inspect.getmodule(keep) if keep is not None else None
    if module is None or not any(sets.values()):
        return ""
    gpu, cpu = sets.get(GPU, sets.get(CPU)), sets.get(CPU, sets.get(GPU))
    if gpu == cpu or GPU not in sets:
        call = f"keep_fp32(model, {cpu!r})"
    else:
        call = (
            f"on_cpu = next(model.parameters()).device.type == 'cpu'\nkeep_fp32(model, {cpu!r} if on_cpu else {gpu!r})"
        )
    return f"{inspect.getsource(module)}\n\n{call}\n"
