"""The gate before a training run: a receipt that still holds is accepted at once, anything else runs the preflight."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import click

from diagnose.common.errors import InputError
from diagnose.common.printable import printable
from diagnose.engine.context import Context
from diagnose.engine.engine import Engine, installed
from diagnose.engine.runner import ProgressListener
from diagnose.engine.types import Verdict
from diagnose.gate.receipt import Receipt, statuses_of, unexamined_stage
from diagnose.gate.run_preflight import Preflight, digest_inputs, run_and_write
from diagnose.gate.run_receipts import find_receipt, keep_for_run, run_folder


@dataclass(frozen=True)
class GateDecision:
    """May the run start? `reason` is one line for the run's log; `preflight` is there when one had to be run."""

    open: bool
    exit_code: int
    reason: str
    preflight: Preflight | None = None


def decide(
    facts: Mapping[str, Any],
    *,
    skip: str | None = None,
    resumed: bool = False,
    starts: bool = True,
    watcher: ProgressListener | None = None,
    engine: Engine | None = None,
) -> GateDecision:
    """Asks for the verdict on a run described by its facts (`{"config": resolved}`).

    `starts`: the run starts in its output folder if it may. A smoke run does not, and leaves the run's receipt alone.
    """
    engine = engine or installed()
    context = engine.context(facts, watcher)
    decision = _skipped(context, skip, starts) if skip is not None else _looked(engine, context, resumed, watcher)
    if decision.open and skip is None and starts:
        record_start(context, resumed)
    return decision


def record_start(context: Context, resumed: bool = False) -> None:
    """Keeps the receipt that opened the gate as the one of the run."""
    if (inputs := digest_inputs(context)) is not None:
        keep_for_run(inputs, resumed)


def valid_receipt(context: Context, resumed: bool = False) -> Receipt | str:
    """The receipt that opens the gate for this run, or why there is none."""
    inputs = digest_inputs(context)
    if inputs is None:
        return "the expected content of the receipt is unknown"
    found = find_receipt(inputs, resumed)
    return found if isinstance(found, str) else found[1]


def _looked(engine: Engine, context: Context, resumed: bool, watcher: ProgressListener | None) -> GateDecision:
    stale = valid_receipt(context, resumed)
    if isinstance(stale, Receipt):
        return GateDecision(True, 0, f"the receipt of {stale.created} is valid: {stale.signature}")
    if watcher:
        watcher.on_start(stale)
    return _decided(run_and_write(engine, context, watcher=watcher), stale)


def _decided(preflight: Preflight, stale: str) -> GateDecision:
    report = preflight.report
    if report.verdict is not Verdict.GO:
        return GateDecision(False, report.exit_code, report.headline, preflight)
    if closed := unexamined_stage(statuses_of(report)):
        return GateDecision(False, 2, f"inconclusive: {closed}", preflight)
    return GateDecision(True, 0, f"go, checked now: {stale}", preflight)


def _skipped(context: Context, reason: str, starts: bool) -> GateDecision:
    if not reason.strip():
        raise InputError("--skip-preflight needs a reason: --skip-preflight REASON")
    inputs = digest_inputs(context) if starts else None
    if inputs is not None:
        run_folder(inputs).skip(reason, datetime.now(UTC).isoformat(timespec="seconds"))
    return GateDecision(True, 0, f"skipped: {reason}")


def require_go(facts: Mapping[str, Any], **options: Any) -> str:
    """For a command: the line for the run's log when it may start; else it ends here, with the verdict's exit code."""
    passage = decide_and_show(facts, **options)
    if not passage.open:
        click.echo(printable(f"the run does not start: {passage.reason}"), err=True)
        raise click.exceptions.Exit(passage.exit_code)
    return passage.reason


def decide_and_show(facts: Mapping[str, Any], **options: Any) -> GateDecision:
    """As `decide`, with a live display while the preflight runs and its report on stderr when one had to be run."""
    from diagnose.render.progress import preflight_progress
    from diagnose.render.text import show
    from diagnose.terminal import terminal

    with preflight_progress() as watcher:
        passage = decide(facts, watcher=watcher, **options)
    if passage.preflight:
        show(passage.preflight, terminal.console(stderr=True))
    return passage
