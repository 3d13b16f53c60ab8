"""`diagnose data`: the data stage of a preflight, over every row instead of a sample."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from diagnose.commands.audit_options import plan_of, plan_options
from diagnose.commands.options import FILE, Target, report_options, target_options, write_report
from diagnose.common.errors import InputError
from diagnose.engine.types import Stage
from diagnose.terminal import terminal

if TYPE_CHECKING:
    from diagnose.audit.types import AuditPlan
    from diagnose.engine.report import Report

EXISTING = click.Path(exists=True, path_type=Path)
OUTPUT = click.Path(file_okay=False, path_type=Path)
EPILOG = """
\b
Examples:
  diagnose data train.tsv --audio-root clips --eval dev.tsv --findings all.csv
  diagnose data --config my.yaml --write-clean clean
  diagnose data train.tsv --store shards --shard 2/5        one part of five
  diagnose data train.tsv --store shards --merge            when all are done
"""


@click.command(epilog=EPILOG)
@click.argument("manifest", required=False, type=EXISTING)
@click.option("--eval", "evaluation", type=EXISTING, metavar="MANIFEST", help="The manifest of the evaluation set.")
@click.option("--audio-root", metavar="DIR", help="What audio paths are relative to; by default the manifest's folder.")
@target_options
@click.option("--select", "ids", multiple=True, metavar="ID", help="Only this check, or all that match (DAT00*).")
@plan_options
@click.option("--findings", type=FILE, help="Write all findings as a table: .parquet, .csv or .jsonl.")
@click.option("--write-clean", "clean", type=OUTPUT, metavar="DIR", help="Write the manifest without the bad rows.")
@report_options
def data(
    context: click.Context,
    target: Target,
    manifest: Path | None,
    evaluation: Path | None,
    audio_root: str | None,
    ids: tuple[str, ...],
    findings: Path | None,
    clean: Path | None,
    **options: Any,
) -> None:
    """Check all of the data: decode every file, read every text.

    MANIFEST is a TSV, CSV or JSONL file, a folder of clips, or a saved Hugging Face dataset; without one, name
    --config. What was measured of a file is kept: an audit that was interrupted measures only the rest.

    Exit codes as for preflight.
    """
    from diagnose.engine.runner import Selection

    plan = plan_of(*(options.pop(name) for name in ("jobs", "ray", "shard", "merge", "store")))
    facts = _facts(target, manifest, evaluation, audio_root, plan)
    facts |= {"data_sample_size": "whole", "audit_plan": plan}
    if plan.shard:
        _measure_shard(facts, plan)
        return
    manifests = [facts[name] for name in ("train_rows", "eval_rows") if hasattr(facts.get(name), "frame")]
    report = _show(facts, Selection((Stage.DATA,), ids))
    players = _players(report, manifests, facts.get("audio_root", "")) if options["html_path"] else []
    write_report(report, "Data audit", players, **options)
    _write(report, manifests, findings, clean)
    context.exit(report.exit_code)


def _facts(
    target: Target, manifest: Path | None, evaluation: Path | None, audio_root: str | None, plan: "AuditPlan"
) -> dict[str, Any]:
    if manifest is None:
        if evaluation or audio_root:
            raise InputError("--eval and --audio-root are for a manifest: name it, or leave them out")
        return target.manifest_facts()
    if target.config or target.subject:
        raise InputError(f"{manifest}: expected a manifest, --config or --subject, one of them; leave out the others")
    clips = (plan.store or Path()).parent / f"clips-{manifest.resolve().name}"
    return target.hooks.manifest_facts(manifest, evaluation, audio_root, clips)


def _measure_shard(facts: Mapping[str, Any], plan: "AuditPlan") -> None:
    from diagnose.engine.context import FactError
    from diagnose.engine.engine import installed

    try:
        measured = installed().context(facts).get("recorded_files")
    except FactError as refusal:
        raise InputError(f"no audio file can be measured: {refusal.reason}") from refusal
    number, count = plan.shard or (1, 1)
    terminal.print_result(f"shard {number} of {count}: {len(measured.records):,} files in {plan.store}")


def _show(facts: Mapping[str, Any], selection: Any) -> "Report":
    from diagnose.audit.findings_table import counts_by_kind
    from diagnose.gate.run_preflight import run_preflight
    from diagnose.render.progress import preflight_progress
    from diagnose.render.text import show

    with preflight_progress() as watcher:
        done = run_preflight(facts, selection, watcher=watcher)
    show(done, terminal.console())
    for severity, probe, name, count in counts_by_kind(done.report):
        terminal.print_result(f"{count:>9,}  {severity:<8} {probe}  {name}")
    return done.report


def _players(report: "Report", manifests: list[Any], root: Any) -> list[Any]:
    from diagnose.audit.findings_table import audio_files, single_findings
    from diagnose.page.players import clip_players

    return list(clip_players(single_findings(report), audio_files(report, manifests, root)))


def _write(report: "Report", manifests: list[Any], findings: Path | None, clean: Path | None) -> None:
    from diagnose.audit.clean_manifest import write_clean
    from diagnose.audit.findings_table import write_findings
    from diagnose.engine import discovery

    if findings:
        terminal.log_line(f"findings: {write_findings(report, manifests, findings):,} in {findings}")
    if clean:
        if not manifests:
            raise InputError("--write-clean needs a manifest: name it, or a configuration whose splits exist")
        spoiling = {probe.id for probe in discovery.probes().items if probe.spoils_row}
        kept, left = write_clean(report, manifests, clean, spoiling)
        terminal.log_line(f"clean manifest: {kept:,} rows in {clean}, {left:,} left out, see {clean / 'removed.csv'}")
