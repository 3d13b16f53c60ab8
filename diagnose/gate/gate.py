"""The gate before a training run: a receipt that still holds is accepted at once, anything else runs the preflight."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import click

from diagnose.common.errors import InputError
from diagnose.engine.context import Context
from diagnose.engine.engine import Engine, installed
from diagnose.engine.runner import ProgressListener
from diagnose.engine.types import Verdict
from diagnose.gate.digests import Digests
from diagnose.gate.output_folder import PreflightFolder, read_receipt
from diagnose.gate.receipt import Receipt, mismatches, statuses_of, unexamined_stage, why_rejected
from diagnose.gate.run_preflight import Preflight, digest_inputs, run_and_write

NAMED = 5  # changes in the log; diagnose diff lists them all


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
    watcher: ProgressListener | None = None,
    engine: Engine | None = None,
) -> GateDecision:
    """Asks for the verdict on a run described by its facts (`{"config": resolved}`)."""
    engine = engine or installed()
    context = engine.context(facts, watcher)
    if skip is not None:
        return _skipped(context, skip)
    stale = valid_receipt(context, resumed)
    if isinstance(stale, Receipt):
        return GateDecision(True, 0, f"the receipt of {stale.created} holds: {stale.signature}")
    if watcher:
        watcher.on_start(stale)
    return _decided(run_and_write(engine, context, watcher=watcher), stale)


def valid_receipt(context: Context, resumed: bool = False) -> Receipt | str:
    """The receipt that opens the gate for this run, or why there is none."""
    inputs = digest_inputs(context)
    if inputs is None:
        return "it is not known what a receipt would have to match"
    folder = PreflightFolder(inputs.output_dir / "preflight")
    if not folder.receipt.exists():
        return "this run has no receipt yet"
    try:
        receipt = read_receipt(folder.path)
    except InputError as error:
        return error.message
    if closed := why_rejected(receipt):
        return f"the receipt of {receipt.created} opens no gate: {closed}"
    if changed := mismatches(receipt, Digests.of(inputs, receipt.digests.strict), resumed):
        more = f"; and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
        return f"the receipt of {receipt.created} no longer holds: {'; '.join(changed[:NAMED])}{more}"
    return receipt


def _decided(preflight: Preflight, stale: str) -> GateDecision:
    report = preflight.report
    if report.verdict is not Verdict.GO:
        return GateDecision(False, report.exit_code, report.headline, preflight)
    if closed := unexamined_stage(statuses_of(report)):
        return GateDecision(False, 2, f"cannot vouch: {closed}", preflight)
    return GateDecision(True, 0, f"go, looked at now: {stale}", preflight)


def _skipped(context: Context, reason: str) -> GateDecision:
    if not reason.strip():
        raise InputError("--skip-preflight needs a reason: --skip-preflight REASON")
    inputs = digest_inputs(context)
    if inputs is not None:
        PreflightFolder(inputs.output_dir / "preflight").skip(reason, datetime.now(UTC).isoformat(timespec="seconds"))
    return GateDecision(True, 0, f"skipped: {reason}")


def require_go(facts: Mapping[str, Any], *, skip: str | None = None, resumed: bool = False) -> str:
    """For a command: the line for the run's log when it may start; else it ends here, with the verdict's exit code."""
    passage = decide_and_show(facts, skip=skip, resumed=resumed)
    if not passage.open:
        click.echo(f"the run does not start: {passage.reason}", err=True)
        raise click.exceptions.Exit(passage.exit_code)
    return passage.reason


def decide_and_show(facts: Mapping[str, Any], *, skip: str | None = None, resumed: bool = False) -> GateDecision:
    """As `ask`, with a live display while the preflight runs and its report on stderr when one had to be run."""
    from diagnose.render.progress import preflight_progress
    from diagnose.render.text import show
    from diagnose.terminal import terminal

    with preflight_progress() as watcher:
        passage = decide(facts, skip=skip, resumed=resumed, watcher=watcher)
    if passage.preflight:
        show(passage.preflight, terminal.console(stderr=True))
    return passage
