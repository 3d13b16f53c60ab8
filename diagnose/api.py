"""The entry for people with a trainer of their own: facts in, Report out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from diagnose.common.errors import InputError
from diagnose.common.provider import facts_needed
from diagnose.common.rng import save_rng_states
from diagnose.engine.context import FactError
from diagnose.engine.engine import Engine, installed
from diagnose.engine.report import Report
from diagnose.engine.runner import ProgressListener, Selection
from diagnose.engine.types import Stage
from diagnose.engine.user_facts import nearest
from diagnose.gate.run_preflight import run_preflight
from diagnose.render.progress import preflight_progress

SEEDS = 8  # of nan_bisect: a failure in one step of three is found with 97%


def preflight(
    *,
    stages: Sequence[str] = (),
    select: Sequence[str] = (),
    ignore: Mapping[str, str] | None = None,
    everything: bool = False,
    progress: bool | None = None,
    **facts: Any,
) -> Report:
    """Checks a training run before it starts, from the objects of the run; nothing of them is changed.

        report = diagnose.preflight(trainer=trainer)
        report = diagnose.preflight(model=model, train_batches=loader, compute_loss=compute_loss, optimizer=optimizer)
        report.require()

    Each fact (docs/facts.md lists them) opens more checks, and none is required. `stages` and `select` look at a part;
    `ignore` maps a check's id to the reason; `everything=True` runs the expensive stages even after an error.
    Report and receipt are written where the fact `digest_inputs` says; without it, nothing is. Progress is shown on
    stderr where that is a terminal; `progress=True` prints lines elsewhere too, `progress=False` nothing.
    """
    for stage in stages:
        if stage not in list(Stage):
            raise InputError(f"there is no stage {stage!r}{nearest(stage, Stage)}")
    selection = Selection(tuple(map(Stage, stages)), tuple(select), dict(ignore or {}), everything)
    if progress is False:
        return run_preflight(facts, selection).report
    with preflight_progress(lines=bool(progress)) as watcher:
        return run_preflight(facts, selection, watcher=watcher).report


def nan_bisect(
    *,
    batch: Any = None,
    precision: str = "fp32",
    number: int | None = None,
    names: Sequence[str] = (),
    seeds: int = SEEDS,
    watcher: ProgressListener | None = None,
    **facts: Any,
) -> Any:
    """The origin of the value that makes a step non-finite, with its finding; None when all is finite.

    Looks at `batch` (whose rows are called `names`), or at every batch of `train_batches` (or of the Trainer) up to
    the first that fails. The step of a `batch` is tried with the random state in which you call this, so that a
    failure that depends on dropout comes back, and then with `seeds` further ones. Where all of them are finite, the
    batch is generated from too, if there is `generate` or the model has a method of that name.

        origin = diagnose.nan_bisect(model=model, batch=batch, compute_loss=compute_loss)
        origin.phase, origin.module, origin.operation, origin.line, origin.rows, origin.finding
    """
    engine = installed()
    options: dict[str, Any] = {"precision": precision, "number": number, "seeds": seeds}
    options |= {"restore_rng": save_rng_states()}
    options |= {} if batch is None else {"batch": batch, "names": tuple(names)}
    result = _measure(engine, facts, options, "nan_search_result", "nothing could be searched", watcher)
    if result.origin is None:
        return None
    about = tuple(probe.id for probe in engine.probes if "nan_origin" in facts_needed(probe.check).required)
    report = engine.examine(engine.context({"nan_origin": result, **_settings(engine, facts)}), Selection(ids=about))
    return replace(result.origin, finding=report.findings[0] if report.findings else None)


def precision(
    *, batch: Any = None, precision: str | None = None, watcher: ProgressListener | None = None, **facts: Any
) -> Any:
    """float32, pure fp16 and autocast on `batch` or on the first one; `findings` is the verdict on `precision`.

    Judged is `precision`, else what the facts say the run is trained in, else fp16.
    """
    engine = installed()
    options = {"precision": precision} | ({} if batch is None else {"batch": batch})
    result = _measure(engine, facts, options, "precision_comparison_all", "nothing could be compared", watcher)
    known = {"precision_comparison": result, **_settings(engine, facts)}
    report = engine.examine(engine.context(known), Selection(stages=(Stage.PRECISION,)))
    return replace(result, findings=tuple(report.findings))


def memory(*, batch: Any = None, watcher: ProgressListener | None = None, **facts: Any) -> Any:
    """The predicted peak of a run next to its device, and what would lower it; nothing of it is allocated.

    `batch` stands for the longest one; without it, `train_batches` or a data set with its collator are looked at.
    """
    return memory_and_duration(facts | ({} if batch is None else {"train_batches": [batch]}), watcher)[0]


def memory_and_duration(facts: Mapping[str, Any], watcher: ProgressListener | None = None) -> tuple[Any, Any]:
    """The same with the duration of the run, or with the reason why that is not known."""
    context = installed().context({**facts, "all_memory_changes": True}, watcher)
    try:
        plan = context.get("memory_plan")
    except FactError as refusal:
        raise InputError(f"the memory cannot be predicted: {refusal.reason}") from refusal
    return plan, context.get_or_none("duration_estimate") or context.why_not("duration_estimate")


def duration(facts: Mapping[str, Any]) -> Any:
    """The duration of the run, or the reason why it is not known."""
    context = installed().context(facts)
    return context.get_or_none("duration_estimate") or context.why_not("duration_estimate")


def fits(facts: Mapping[str, Any]) -> bool:
    """Whether the predicted peak leaves head-room on the device."""
    context = installed().context(facts)
    try:
        return bool(context.get("memory_prediction").peak <= context.get("memory_limit").usable)
    except FactError as refusal:
        raise InputError(f"the memory cannot be predicted: {refusal.reason}") from refusal


def _settings(engine: Engine, facts: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of the run, which a fix may name; {} for a trainer of somebody else's."""
    values = engine.context({name: facts[name] for name in ("config",) if name in facts}).get_or_none("config_values")
    return {"config_values": values} if values else {}


def _measure(
    engine: Engine, facts: Any, options: Mapping[str, Any], fact: str, failure: str, watcher: ProgressListener | None
) -> Any:
    try:
        return engine.context({**facts, "nan_search_options": options}, watcher).get(fact)
    except FactError as refusal:
        raise InputError(f"{failure}: {refusal.reason}") from refusal
