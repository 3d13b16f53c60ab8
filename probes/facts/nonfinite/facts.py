"""Where a value that is not finite was born: looked for only where the first step has one."""

from dataclasses import replace
from math import isfinite
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotGiven, Unavailable
from diagnose.engine.user_facts import nearest
from probes.facts.core.require import require
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.types import DrawnBatches
from probes.facts.first_step.types import FirstStep
from probes.facts.nonfinite.types import BisectResult, Operation


@provider
def nan_origin(
    update_setup: StepSetup,
    batch: Any,
    first_step: FirstStep,
    batch_drawing: DrawnBatches | None = None,
    train_dataset: Any = None,
) -> BisectResult:
    """The origin of the first step's bad value; a finite step costs nothing more."""
    require(first_step.loss, first_step.failure, Unavailable)
    if _finite(first_step):
        return BisectResult()
    from probes.facts.nonfinite.bisect import bisect_batch, names_of
    from probes.facts.nonfinite.traced_step import AutocastSetup

    indices = batch_drawing.indices if batch_drawing else ()
    names = names_of(train_dataset, indices[0]) if indices else ()
    return bisect_batch(AutocastSetup(**vars(update_setup)), batch, names)


@provider
def nan_search_options() -> dict[str, Any]:
    """How nan-bisect looks: in which precision, and at which batch; None: at all of them."""
    return {"precision": "fp32", "number": None}


@provider
def nan_search_result(
    update_setup: StepSetup,
    nan_search_options: dict[str, Any],
    train_batches: Any = None,
    train_dataset: Any = None,
    audio_root: Any = None,
    generate: Any = None,
) -> BisectResult:
    """The origin in the first failing batch of the run, in the precision that was asked for."""
    from probes.facts.nonfinite.bisect import bisect_batch, bisect_one_batch, names_of
    from probes.facts.nonfinite.refused_audio import refused_for_bad_samples
    from probes.facts.nonfinite.scan_batches import BatchNotDrawn, first_nonfinite_batch
    from probes.facts.nonfinite.traced_step import AutocastSetup

    precision = nan_search_options.get("precision", "fp32")
    subject = AutocastSetup(**vars(update_setup), precision=precision)
    if "batch" in nan_search_options:
        return bisect_one_batch(subject, nan_search_options, generate)
    if train_batches is None:
        raise NotGiven("not given: batch or train_batches")
    try:
        failing = first_nonfinite_batch(subject, train_batches, nan_search_options.get("number"))
    except BatchNotDrawn as reason:
        rows = getattr(train_dataset, "rows", None)
        origin = refused_for_bad_samples(rows, audio_root, reason.indices, precision)
        if origin is None:
            raise
        return BisectResult(replace(origin, batch=reason.number), reason.number)
    if failing is None:
        return BisectResult()
    names = names_of(train_dataset, failing.indices) if failing.indices else ()
    origin = bisect_batch(subject, failing.batch, names).origin
    return BisectResult(origin and replace(origin, batch=failing.number), failing.number)


@provider
def operations_inside(
    step_setup: StepSetup, nan_search_options: dict[str, Any], batch: Any = None, train_batches: Any = None
) -> tuple[Operation, ...]:
    """Every operation within one module of the model, for a batch that was given, that of a number, or the first."""
    from probes.facts.nonfinite.operation_trace import operations_inside
    from probes.facts.nonfinite.scan_batches import batch_of
    from probes.facts.nonfinite.traced_step import AutocastSetup, unwrapped

    setup = replace(step_setup, model=unwrapped(step_setup.model))
    module, number = nan_search_options["module"], nan_search_options.get("number")
    names = [name for name, _ in setup.model.named_modules() if name]
    if module not in names:
        raise Unavailable(f"the model has no module {module!r}{nearest(module, names)}")
    chosen = nan_search_options.get("batch", batch) if number is None else batch_of(train_batches, number)
    if chosen is None:
        raise NotGiven("not given: batch or train_batches")
    return operations_inside(AutocastSetup(**vars(setup), precision=nan_search_options["precision"]), chosen, module)


def _finite(step: FirstStep) -> bool:
    if step.loss is None or not isfinite(step.loss.value):
        return False
    rows = step.gradients.rows if step.gradients else ()
    return all(row.finite and (row.moved is None or isfinite(row.moved)) for row in rows)
