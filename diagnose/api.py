"""The entry for people with a trainer of their own: facts in, Report out."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from diagnose.common.errors import InputError
from diagnose.common.provider import facts_needed
from diagnose.engine.context import FactError
from diagnose.engine.engine import installed
from diagnose.engine.report import Report
from diagnose.engine.runner import ProgressListener, Selection
from diagnose.engine.types import Stage
from diagnose.engine.user_facts import nearest
from diagnose.gate.run_preflight import run_preflight


def preflight(
    *,
    stages: Sequence[str] = (),
    select: Sequence[str] = (),
    ignore: Mapping[str, str] | None = None,
    everything: bool = False,
    **facts: Any,
) -> Report:
    """Looks at whatever facts are given (see diagnose.engine.user_facts); `ignore` maps a probe's id to the reason.

    Report and receipt are written where the fact `digest_inputs` says; without it, nothing is.
    """
    for stage in stages:
        if stage not in list(Stage):
            raise InputError(f"there is no stage {stage!r}{nearest(stage, Stage)}")
    selection = Selection(tuple(map(Stage, stages)), tuple(select), dict(ignore or {}), everything)
    return run_preflight(facts, selection).report


def nan_bisect(
    *,
    batch: Any = None,
    precision: str = "fp32",
    number: int | None = None,
    names: Sequence[str] = (),
    watcher: ProgressListener | None = None,
    **facts: Any,
) -> Any:
    """The birth of the value that makes a step not finite, with its finding; None when all is finite.

    Looks at `batch` (whose rows are called `names`), or at every batch of `train_batches` (or of the Trainer) up to
    the first that fails.
    """
    engine = installed()
    how = {"precision": precision, "number": number} | (
        {} if batch is None else {"batch": batch, "names": tuple(names)}
    )
    try:
        found = engine.context({**facts, "nan_search_options": how}, watcher).get("nan_search_result")
    except FactError as refusal:
        raise InputError(f"nothing could be searched: {refusal}") from refusal
    if found.origin is None:
        return None
    about = tuple(probe.id for probe in engine.probes if "nan_origin" in facts_needed(probe.check).required)
    report = engine.examine(engine.context({"nan_origin": found}), Selection(ids=about))
    return replace(found.origin, finding=report.findings[0] if report.findings else None)


def precision(
    *, batch: Any = None, precision: str | None = None, watcher: ProgressListener | None = None, **facts: Any
) -> Any:
    """float32, pure fp16 and autocast on `batch` or on the first one; `findings` is the verdict on `precision`.

    Judged is `precision`, else what the facts say the run is trained in, else fp16.
    """
    engine = installed()
    how = {"precision": precision} | ({} if batch is None else {"batch": batch})
    try:
        found = engine.context({**facts, "nan_search_options": how}, watcher).get("precision_comparison_all")
    except FactError as refusal:
        raise InputError(f"nothing could be compared: {refusal}") from refusal
    report = engine.examine(engine.context({"precision_comparison": found}), Selection(stages=(Stage.PRECISION,)))
    return replace(found, findings=tuple(report.findings))
