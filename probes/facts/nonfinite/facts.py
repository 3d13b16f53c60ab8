"""Where a value that is not finite was born: looked for only where the first step has one."""

from dataclasses import replace
from math import isfinite
from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotGiven, Unavailable
from diagnose.engine.user_facts import nearest
from probes.facts.core.types import DrawnBatches
from probes.facts.first_step.types import FirstStep
from probes.facts.hf_trainer.mutable_state import mutable_state_of
from probes.facts.nonfinite.types import BisectResult, Operation

if TYPE_CHECKING:
    from torch.nn import Module


@provider
def nan_origin(
    model: "Module",
    batch: Any,
    first_step: FirstStep,
    compute_loss: Any = None,
    optimizer: Any = None,
    batch_drawing: DrawnBatches | None = None,
    train_dataset: Any = None,
    trainer: Any = None,
) -> BisectResult:
    """The origin of the first step's bad value; a finite step costs nothing more."""
    if first_step.loss is None:
        raise Unavailable(str(first_step.failure))
    if _finite(first_step):
        return BisectResult()
    from probes.facts.core.model_output import loss_of_output
    from probes.facts.nonfinite.bisect import bisect_batch, names_of
    from probes.facts.nonfinite.traced_step import StepSetup

    subject = StepSetup(model, compute_loss or loss_of_output, optimizer, others=tuple(mutable_state_of(trainer)))
    return bisect_batch(
        subject,
        batch,
        names_of(train_dataset, batch_drawing.indices[0]) if batch_drawing and batch_drawing.indices else (),
    )


@provider
def nan_search_options() -> dict[str, Any]:
    """How nan-bisect looks: in which precision, and at which batch; None: at all of them."""
    return {"precision": "fp32", "number": None}


@provider
def nan_search_result(
    model: "Module",
    nan_search_options: dict[str, Any],
    train_batches: Any = None,
    compute_loss: Any = None,
    optimizer: Any = None,
    train_dataset: Any = None,
    audio_root: Any = None,
    trainer: Any = None,
) -> BisectResult:
    """The origin in the first failing batch of the run, in the precision that was asked for."""
    from probes.facts.core.model_output import loss_of_output
    from probes.facts.nonfinite.bisect import bisect_batch, names_of
    from probes.facts.nonfinite.refused_audio import refused_for_bad_samples
    from probes.facts.nonfinite.scan_batches import BatchNotDrawn, FailingBatch, NoSuchBatch, first_nonfinite_batch
    from probes.facts.nonfinite.traced_step import StepSetup

    others, precision = tuple(mutable_state_of(trainer)), nan_search_options.get("precision", "fp32")
    subject = StepSetup(model, compute_loss or loss_of_output, optimizer, precision, others)
    if "batch" in nan_search_options:
        failing: FailingBatch | None = FailingBatch(nan_search_options["batch"], 0)
    elif train_batches is None:
        raise NotGiven("not given: batch or train_batches")
    else:
        try:
            failing = first_nonfinite_batch(subject, train_batches, nan_search_options.get("number"))
        except BatchNotDrawn as reason:
            rows = getattr(train_dataset, "rows", None)
            origin = refused_for_bad_samples(rows, audio_root, reason.indices, precision)
            if origin is None:
                raise Unavailable(str(reason)) from reason
            return BisectResult(replace(origin, batch=reason.number), reason.number)
        except NoSuchBatch as reason:
            raise Unavailable(str(reason)) from reason
    if failing is None:
        return BisectResult()
    names = names_of(train_dataset, failing.indices) if failing.indices else nan_search_options.get("names", ())
    origin = bisect_batch(subject, failing.batch, names).origin
    number = None if "batch" in nan_search_options else failing.number
    return BisectResult(origin and replace(origin, batch=number), failing.number)


@provider
def operations_inside(
    model: "Module",
    nan_search_options: dict[str, Any],
    batch: Any = None,
    train_batches: Any = None,
    compute_loss: Any = None,
    trainer: Any = None,
) -> tuple[Operation, ...]:
    """Every operation within one module of the model, for a batch that was given, that of a number, or the first."""
    from probes.facts.core.model_output import loss_of_output
    from probes.facts.nonfinite.operation_trace import operations_inside
    from probes.facts.nonfinite.scan_batches import BatchNotDrawn, NoSuchBatch, batch_of
    from probes.facts.nonfinite.traced_step import StepSetup, unwrapped

    model, module, number = unwrapped(model), nan_search_options["module"], nan_search_options.get("number")
    names = [name for name, _ in model.named_modules() if name]
    if module not in names:
        raise Unavailable(f"the model has no module {module!r}{nearest(module, names)}")
    subject = StepSetup(
        model, compute_loss or loss_of_output, None, nan_search_options["precision"], tuple(mutable_state_of(trainer))
    )
    try:
        chosen = nan_search_options.get("batch", batch) if number is None else batch_of(train_batches, number)
    except (NoSuchBatch, BatchNotDrawn) as reason:
        raise Unavailable(str(reason)) from reason
    if chosen is None:
        raise NotGiven("not given: batch or train_batches")
    return operations_inside(subject, chosen, module)


def _finite(step: FirstStep) -> bool:
    if step.loss is None or not isfinite(step.loss.value):
        return False
    rows = step.gradients.rows if step.gradients else ()
    return all(row.finite and (row.moved is None or isfinite(row.moved)) for row in rows)
