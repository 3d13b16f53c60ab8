"""The comparison of precisions, as lines for a person and as JSON."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from diagnose.engine.report_json import without_nan
from diagnose.render.nan_origin import finding_lines

LISTS = {
    "cpu": "autocast on a CPU (norms, softmax, exp, pow, sum stay in 16 bits)",
    "gpu": "autocast on a GPU (those are in float32)",
    "pure": "model.half()",
}


def precision_lines(found: Any, top: int) -> Iterator[str]:
    losses = [(run.name, *_losses(found, run), _remark(run)) for run in found.runs]
    yield from table(("precision", "loss", "relative difference", ""), losses)
    for run in found.runs[1:]:
        if run.precision == found.target:
            yield from _run_lines(run, top)
    yield from _scaled(found)
    yield from _verdict(found)


def _losses(found: Any, run: Any) -> tuple[str, str]:
    if run.loss is None or (run.fp32_fallback_ops and run.rules == "pure"):
        return "cannot run on this device", ""
    difference = found.difference(run)
    return f"{run.loss:.6g}", "" if run is found.runs[0] else f"{difference:.2e}"


def _remark(run: Any) -> str:
    if run.error:
        return run.error
    bridged = f"no 16-bit kernel for {', '.join(run.fp32_fallback_ops)}: computed in float32"
    remarks = [*([bridged] if run.fp32_fallback_ops else []), *([] if run.finite else ["not finite"])]
    return "; ".join(remarks)


def _run_lines(run: Any, top: int) -> Iterator[str]:
    yield ""
    yield f"{run.name.upper()}: {LISTS[run.rules]}"
    if run.predicted or run.origin:
        unknown = "unknown: it cannot run on this device" if run.error else "none: not reproduced in the replay"
        yield f"first non-finite {_offender(run.origin) if run.origin else unknown}"
        yield f"by the ranges    {_offender(run.predicted) if run.predicted else 'no value is too large'}"
    if run.fp32_modules is not None:
        yield f"keep in float32  {', '.join(run.fp32_modules)}  (tested: finite with all of them, not without any one)"
    elif run.origin and run.rules != "pure":
        yield "keep in float32  no set of modules helps: the value appears outside of modules"
    rooms = [
        (f"{room.bits:.1f} bits", f"{room.largest:.4g}", room.module or "compute_loss", room.operation)
        for room in run.headroom[:top]
    ]
    yield from table(("headroom", "largest", "module", "operation"), rooms)
    if len(run.headroom) > top:
        yield f"and {len(run.headroom) - top} more with more headroom (--top)"


def _offender(place: Any) -> str:
    line = f"  {place.line}" if place.line else ""
    what = place.operation or f"it is in the {place.phase} before the pass"
    size = f", {place.largest:.4g}" if hasattr(place, "largest") else ""
    return f"{place.where}: {what}{size}{line}"


def _scaled(found: Any) -> Iterator[str]:
    scale = found.scale
    run = next((run for run in reversed(found.runs) if run.gradients), None)
    if scale is None or run is None:
        return
    yield ""
    source = "the run's own" if scale.from_run else "torch's first"
    steps = "" if scale.settled == scale.start else f", which overflows; it settles at {scale.settled:g}"
    yield f"GRADIENTS ({run.name}) at a loss scale of {scale.start:g} ({source}){steps}"
    lost = [(f"{part.lost:.1%}", part.module or "compute_loss", f"{part.largest:.4g}") for part in run.gradients[:5]]
    yield from table(("become 0", "module", "largest times scale"), lost)


def _verdict(found: Any) -> Iterator[str]:
    yield ""
    yield f"VERDICT on {found.target}"
    for finding in found.findings:
        yield from finding_lines(finding)
    if not found.findings:
        yield "no findings: every value of this batch fits"
    if found.code:
        sets = {run.name: run.fp32_modules for run in found.runs if run.fp32_modules and run.precision == found.target}
        yield ""
        for name, kept in sets.items() if len(set(sets.values())) > 1 else [*sets.items()][-1:]:
            yield from (f"CONFIGURATION, for {name}", "training:", f"  keep_fp32: [{', '.join(kept)}]")
        yield from ("", "CODE, for any other trainer", found.code)


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Columns as wide as they need to be; the last one is not filled up."""
    widths = [max(len(row[number]) for row in (head, *rows)) for number in range(len(head))]
    for row in (head, *rows):
        yield "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()


def as_json(found: Any) -> str:
    runs = [
        {
            **{name: getattr(run, name) for name in ("name", "precision", "rules", "loss", "finite")},
            "refused": run.error,
            "bridged": list(run.fp32_fallback_ops),
            "difference": found.difference(run),
            "first_offender": _plain(run.origin, ("module", "kind", "call", "operation", "phase", "line")),
            "predicted": _plain(run.predicted, ("module", "kind", "call", "operation", "phase", "line", "largest")),
            "keep_fp32": None if run.fp32_modules is None else list(run.fp32_modules),
            "headroom": [_plain(room, ("module", "operation", "largest", "bits")) for room in run.headroom],
            "gradients": [_plain(one, ("module", "elements", "lost", "burst", "largest")) for one in run.gradients],
        }
        for run in found.runs
    ]
    findings = [_plain(one, ("probe", "severity", "where", "message", "fix")) for one in found.findings]
    scale = _plain(found.scale, ("start", "settled", "moves"))
    scale = scale and scale | {"given": found.scale.from_run}
    content = {"asked": found.target, "runs": runs, "scale": scale, "rounding": found.rounding_noise}
    return json.dumps(without_nan(content | {"findings": findings}), indent=1, ensure_ascii=False) + "\n"


def _plain(value: Any, names: Sequence[str]) -> dict[str, Any] | None:
    return None if value is None else {name: getattr(value, name) for name in names}
