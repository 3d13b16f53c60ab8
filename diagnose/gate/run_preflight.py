"""A preflight from end to end: look, compare with the last one, write report and receipt beside the run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError
from diagnose.engine import discovery
from diagnose.engine.context import Context
from diagnose.engine.engine import Engine, installed
from diagnose.engine.report import Report
from diagnose.engine.runner import ALL, ProgressListener, Selection
from diagnose.gate.digests import DigestInputs, Digests
from diagnose.gate.output_folder import ChangesSince, PreflightFolder
from diagnose.gate.receipt import Receipt
from diagnose.gate.run_receipts import changes_since, folder_to_write, latest_folder


@dataclass(frozen=True)
class Preflight:
    """What a preflight leaves: the report always, the rest where the run's directory is known."""

    report: Report
    receipt: Receipt | None = None
    folder: PreflightFolder | None = None
    since: ChangesSince | None = None
    unwritten: str = ""


def run_preflight(
    facts: Mapping[str, Any], selection: Selection = ALL, strict: bool = False, watcher: ProgressListener | None = None
) -> Preflight:
    """Runs a preflight on these facts with everything that is registered."""
    engine = installed()
    return run_and_write(engine, engine.context(facts, watcher), selection, strict, watcher)


def run_and_write(
    engine: Engine,
    context: Context,
    selection: Selection = ALL,
    strict: bool = False,
    watcher: ProgressListener | None = None,
) -> Preflight:
    """Writes nothing before every probe has looked; a partial look never replaces a full one that still holds."""
    report = engine.examine(context, selection, watcher)
    inputs = digest_inputs(context)
    if inputs is None:
        return Preflight(report)
    folder, now = folder_to_write(inputs), Digests.of(inputs, strict)
    receipt = Receipt.of(report, now.with_content(inputs) if selection.full else now)
    if not selection.full and (full := folder.opening_receipt()) and not changes_since(full, inputs):
        return Preflight(report, receipt)
    since = latest_folder(inputs.output_dir).since(report)
    try:
        folder.write(report, receipt)
    except InputError as error:  # the findings are still reported
        return Preflight(report, receipt, since=since, unwritten=error.message)
    return Preflight(report, receipt, folder, since)


def digest_inputs(context: Context) -> DigestInputs | None:
    """What the receipt vouches for, with the source of every registered package; None if there is no such fact."""
    inputs: DigestInputs | Mapping[str, Any] | None = context.get_or_none("digest_inputs")
    if inputs is None:
        return None
    if isinstance(inputs, Mapping):
        inputs = DigestInputs(**inputs)
    return replace(inputs, source_roots=tuple({*inputs.source_roots, *source_roots()}))


def source_roots() -> list[Path]:
    specs = [find_spec(name) for name in {"diagnose", *discovery.packages()}]
    return sorted(Path(spec.origin).parent for spec in specs if spec and spec.origin)
