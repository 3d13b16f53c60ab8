"""The run in numbers: two lines by default, everything that was measured under -v."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnose.engine.types import Severity, Stage
from diagnose.render.lines import Line, line
from diagnose.tensor_values import TensorValues

if TYPE_CHECKING:
    from diagnose.engine.report import Report

UNITS = (("days", 86_400), ("hours", 3_600), ("minutes", 60), ("seconds", 1))
ROUNDING = 1e-3  # of the loss: it is shown with four digits
WIDTH = 80  # what does not fit into a line is shown by -v


def summary_lines(report: "Report") -> Iterator[Line]:
    """First loss beside that of a uniform prediction, gradient norm; what trains, where, on what."""
    facts = report.summary
    if loss := facts.get("first_loss"):
        found = facts.get("first_gradients")
        norm = [_gradients(found, _is_quiet(report, Stage.GRADIENTS))] if found else []
        yield line(" ".join([_loss(loss, _is_quiet(report, Stage.LOSS)), *norm]))
    if facts.get("parameters"):
        parts = [_trainable(facts["parameters"]), *_short_parts(facts)]
        while len("; ".join(parts)) > WIDTH and len(parts) > 1:
            parts.pop()
        yield line("; ".join(parts))


def _duration(found: Mapping[str, Any]) -> str:
    """A range: the run as long as the shortest batch that was measured says, and the longest."""
    unit, size = next((pair for pair in UNITS if found["seconds"][1] >= 2 * pair[1]), UNITS[-1])
    low, high = (f"{seconds / size:.{int(seconds < 10 * size)}f}" for seconds in found["seconds"])
    between = high if low == high else f"{low} to {high}"
    measured = f"{found['measured']} batches measured"
    return f"Expected: {found['updates']:,} updates in {between} {unit}, without loading and evaluations ({measured})"


def all_summary_lines(report: "Report") -> Iterator[Line]:
    """The same figures, the duration, names, devices, dtypes, every tensor of the first batch, the labels' counts."""
    facts = report.summary
    yield from summary_lines(report)
    if duration := facts.get("run_duration"):
        yield line(_duration(duration))
    yield from _loss_lines(facts.get("first_loss") or {})
    yield from _parameter_lines(facts.get("parameters") or {})
    if placed := facts.get("placement"):
        yield line(f"devices: model {_counted(placed['devices'])}; batch {_counted(placed['batch_devices'])}")
        yield line(f"dtypes of parameters: {_counted(placed['dtypes'])}")
    yield from _batch_lines(facts.get("batch_values") or {})
    if found := facts.get("class_labels"):
        shares = ", ".join(f"{name}: {n:,} ({n / found['read']:.1%})" for name, n in found["counts"].items())
        more = ", ..." if found["classes"] > len(found["counts"]) else ""
        yield line(f"class distribution in {found['read']:,} rows: {shares}{more}")


def _is_quiet(report: "Report", stage: Stage) -> bool:
    """Every check of the stage that ran found nothing above a note."""
    found = any(one.stage is stage and one.severity is not Severity.NOTE for one in report.findings)
    return not found and any(outcome.stage is stage and outcome.ran for outcome in report.outcomes)


def _loss(found: Mapping[str, Any], normal: bool) -> str:
    """Where the loss has other terms too, ln V is compared with its cross-entropy (CE)."""
    cross_entropy, value = found["cross_entropy"], found["value"]
    differs = found["uniform"] and cross_entropy is not None and abs(cross_entropy - value) > ROUNDING * abs(value)
    own = f"; CE {cross_entropy:.4g}" if differs else ""
    uniform = f" (ln {found['vocabulary']} = {found['uniform']:.4g})" if found["uniform"] else ""
    return f"{'Loss is normal' if normal else 'Loss'}: {value:.4g}{own}{uniform}."


def _gradients(found: Mapping[str, Any], normal: bool) -> str:
    finite = "" if found["finite"] == found["with_gradient"] else f", {found['finite']} of {found['tensors']} finite"
    return f"{'Gradients OK' if normal and not finite else 'Gradients'}: norm {found['norm']:.4g}{finite}."


def _trainable(found: Mapping[str, Any]) -> str:
    share = 100 * found["trainable"] / max(found["total"], 1)
    return f"Trainable: {found['trainable']:,} / {found['total']:,} ({share:.1f} %)"


def _short_parts(facts: Mapping[str, Any]) -> Iterator[str]:
    if placed := facts.get("placement"):
        yield f"{' and '.join(placed['dtypes'])} on {' and '.join(placed['devices'])}"
    for one in reversed((facts.get("batch_values") or {}).get("tensors", ())):
        if one["name"] == "labels":
            yield f"labels {list(one['shape'])}"


def _loss_lines(found: Mapping[str, Any]) -> Iterator[Line]:
    if not found:
        return
    if found["uniform"]:
        classes = f"{found['vocabulary']:,} classes"
        yield line(f"a uniform prediction of {classes} has ln {found['vocabulary']} = {found['uniform']:.4g}", 2)
    if found["cross_entropy"] is not None:
        yield line(f"cross-entropy over {found['scored_tokens']} scored labels: {found['cross_entropy']:.4g}", 2)
    for name, value in found["parts"].items():
        yield line(f"{name}: {value:.4g}", 2)


def _parameter_lines(found: Mapping[str, Any]) -> Iterator[Line]:
    for kind in ("trainable", "frozen") if found else ():
        count, names = found[f"{kind}_tensors"], found[f"first_{kind}"]
        if count:
            yield line(f"{kind} tensors: {count:,}: {_named(names, count)}", 2)


def _named(names: Sequence[str], count: int) -> str:
    return ", ".join([*names, *["..."] * (count > len(names))])


def _batch_lines(found: Mapping[str, Any]) -> Iterator[Line]:
    if found:
        yield line("first batch:")
    for one in found.get("tensors", ()):
        yield line(str(TensorValues(**one)), 2)
    if labels := found.get("labels"):
        counts = ", ".join(f"{value}: {count}" for value, count in labels["counts"])
        more = ", ..." if labels["values"] > len(labels["counts"]) else ""
        yield line(f"labels: {labels['scored']:,} of {labels['size']:,} scored (not -100), {counts}{more}", 2)


def _counted(found: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({count:,})" for name, count in found.items()) or "no tensor"
