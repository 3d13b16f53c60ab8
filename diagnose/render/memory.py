"""The prediction of a run's memory, as lines for a person and as JSON."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from diagnose.common.size_text import size_text as size
from diagnose.render.precision import table

FITS, DOES_NOT_FIT, NEAR = "FITS", "DOES NOT FIT", "FITS, WITHOUT HEAD-ROOM"


def memory_lines(plan: Any, top: int) -> Iterator[str]:
    """Phases, kinds and modules at the peak, the verdict, what would lower the peak."""
    found = plan.prediction
    options = found.options
    traits = [options.precision, *(["checkpointing"] if options.checkpointing else [])]
    device = "on a GPU" if options.gpu else "on the CPU"
    yield f"predicted for one process {device}, {', '.join(traits)}, batch: {found.step.batch}"
    yield ""
    yield from table(("phase", "peak"), [(name, size(peak)) for name, peak in found.phases.items()])
    yield ""
    saved = size(found.step.saved_for_backward)
    yield f"AT THE PEAK OF THE STEP ({found.step.peak_phase}); {saved} is kept for the backward pass"
    kinds = sorted(found.step.kinds.items(), key=lambda item: -item[1])
    yield from table(("kind", "size"), [(kind, size(number)) for kind, number in kinds])
    yield ""
    yield from _modules(found.step.modules, top)
    yield from _batches(found)
    yield from ("", *_allocator(found), *_verdict(plan), *_changes(plan))


def _modules(modules: Any, top: int) -> Iterator[str]:
    rows = [
        (one.name, *(size(part) for part in (one.weights, one.gradients, one.optimizer, one.activations)))
        for one in modules[:top]
    ]
    yield from table(("module", "weights", "gradients", "optimizer", "activations"), rows)
    if len(modules) > top:
        yield f"and {len(modules) - top} modules with less (--top)"


def _batches(found: Any) -> Iterator[str]:
    if found.other_batches:
        yield ""
        steps = (found.step, *found.other_batches)
        rows = [(step.batch, size(step.peak), size(step.saved_for_backward)) for step in steps]
        yield from table(("batch", "peak of a step", "kept for backward"), rows)


def _allocator(found: Any) -> Iterator[str]:
    if found.allocator is not None:
        yield f"a real step: {size(found.allocator)} by the GPU's allocator, {size(found.step.peak)} predicted"
    else:
        yield "not compared with a GPU's allocator: there is no GPU on this machine"
    yield from (f"note: {remark}" for remark in found.remarks)


def verdict_of(plan: Any) -> str:
    peak, limit = plan.prediction.peak, plan.limit
    if peak > limit.bytes:
        return DOES_NOT_FIT
    return FITS if peak <= limit.usable else NEAR


def _verdict(plan: Any) -> Iterator[str]:
    found, limit = plan.prediction, plan.limit
    yield ""
    yield (
        f"{verdict_of(plan)}: {size(found.peak)} in the {found.peak_phase}; {limit.name} has {size(limit.bytes)}, of "
        f"which {limit.overhead_of} take about {size(limit.overhead)}"
    )


def _changes(plan: Any) -> Iterator[str]:
    if not plan.changes:
        return
    yield ""
    rows = [
        (one.setting, size(one.peak), f"x {one.time:.2f}", "fits" if one.fits else "", one.cost) for one in plan.changes
    ]
    yield from table(("what would lower the peak", "peak", "time", "", ""), rows)
    if plan.together is not None:
        verb = "fits" if plan.together.fits else "does not fit either"
        yield f"no single change is enough; together {verb}, with {size(plan.together.peak)}: {plan.together.setting}"


def duration_line(duration: Any) -> str:
    """Between two bounds; or why it is not known."""
    if isinstance(duration, str):
        return f"duration unknown: {duration}"
    return f"duration: {duration}"


def as_json(plan: Any) -> str:
    found = plan.prediction
    content = asdict(plan) | {"verdict": verdict_of(plan), "peak": found.peak, "peak_phase": found.peak_phase}
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"
