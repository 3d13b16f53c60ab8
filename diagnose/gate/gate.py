"""The gate before a training run: a receipt that still holds is accepted at once, anything else runs the preflight."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import click

from diagnose.common.errors import InputError
from diagnose.engine.context import Context
from diagnose.engine.engine import Engine, installed
from diagnose.engine.runner import Watcher
from diagnose.engine.types import Verdict
from diagnose.gate.digests import Digests
from diagnose.gate.output_folder import Folder, read_receipt
from diagnose.gate.receipt import Receipt, matches, shut, statuses_of, unlooked
from diagnose.gate.run_preflight import Preflight, digest_inputs, examine

NAMED = 5  # changes told in the log; diagnose diff tells them all


@dataclass(frozen=True)
class Passage:
    """May the run start? `reason` is one line for the run's log; `preflight` is there when one had to be run."""

    open: bool
    exit_code: int
    reason: str
    preflight: Preflight | None = None


def ask(
    facts: Mapping[str, Any],
    *,
    skip: str | None = None,
    resumed: bool = False,
    watcher: Watcher | None = None,
    engine: Engine | None = None,
) -> Passage:
    """Asks for the verdict on a run described by its facts (`{"config": resolved}`)."""
    engine = engine or installed()
    context = engine.context(facts, watcher)
    if skip is not None:
        return _skipped(context, skip)
    stale = standing(context, resumed)
    if isinstance(stale, Receipt):
        return Passage(True, 0, f"the receipt of {stale.created} holds: {stale.signature}")
    if watcher:
        watcher.begins(stale)
    return _decided(examine(engine, context, watcher=watcher), stale)


def standing(context: Context, resumed: bool = False) -> Receipt | str:
    """The receipt that opens the gate for this run, or why there is none."""
    inputs = digest_inputs(context)
    if inputs is None:
        return "it is not known what a receipt would have to match"
    folder = Folder(inputs.output_dir / "preflight")
    if not folder.receipt.exists():
        return "this run has no receipt yet"
    try:
        receipt = read_receipt(folder.path)
    except InputError as error:
        return error.message
    if closed := shut(receipt):
        return f"the receipt of {receipt.created} opens no gate: {closed}"
    if changed := matches(receipt, Digests.of(inputs, receipt.digests.strict), resumed):
        more = f"; and {len(changed) - NAMED} more" if len(changed) > NAMED else ""
        return f"the receipt of {receipt.created} no longer holds: {'; '.join(changed[:NAMED])}{more}"
    return receipt


def _decided(preflight: Preflight, stale: str) -> Passage:
    report = preflight.report
    if report.verdict is not Verdict.GO:
        return Passage(False, report.exit_code, report.headline, preflight)
    if closed := unlooked(statuses_of(report)):
        return Passage(False, 2, f"cannot vouch: {closed}", preflight)
    return Passage(True, 0, f"go, looked at now: {stale}", preflight)


def _skipped(context: Context, reason: str) -> Passage:
    if not reason.strip():
        raise InputError("--skip-preflight needs a reason: --skip-preflight REASON")
    inputs = digest_inputs(context)
    if inputs is not None:
        Folder(inputs.output_dir / "preflight").skip(reason, datetime.now(UTC).isoformat(timespec="seconds"))
    return Passage(True, 0, f"skipped: {reason}")


def enter(facts: Mapping[str, Any], *, skip: str | None = None, resumed: bool = False) -> str:
    """For a command: the line for the run's log when it may start; else it ends here, with the verdict's exit code."""
    passage = ask_aloud(facts, skip=skip, resumed=resumed)
    if not passage.open:
        click.echo(f"the run does not start: {passage.reason}", err=True)
        raise click.exceptions.Exit(passage.exit_code)
    return passage.reason


def ask_aloud(facts: Mapping[str, Any], *, skip: str | None = None, resumed: bool = False) -> Passage:
    """As `ask`, with a live display while the preflight runs and its report on stderr when one had to be run."""
    from diagnose.render.progress import watching
    from diagnose.render.text import show
    from diagnose.terminal import terminal

    with watching() as watcher:
        passage = ask(facts, skip=skip, resumed=resumed, watcher=watcher)
    if passage.preflight:
        show(passage.preflight, terminal.console(stderr=True))
    return passage
