"""`diagnose release`: the gate before a model is given away."""

from datetime import UTC, datetime
from pathlib import Path

import click

from diagnose.commands.options import TrainerHooks, report_options, write_report
from diagnose.common.errors import InputError
from diagnose.terminal import terminal

KEYS = ("logs", "gradients", "overfitting", "silent")


@click.command()
@click.argument("run", type=click.Path(path_type=Path, file_okay=False))
@click.option("--sign", "by", metavar="NAME", help="Sign every check that passed, or those that --item names.")
@click.option("--note", default="", metavar="TEXT", help="Why a warning is no obstacle; kept beneath the signature.")
@click.option("--item", "names", multiple=True, type=click.Choice(KEYS), help="Sign only this check; may be repeated.")
@report_options
@click.pass_context
def release(
    context: click.Context, run: Path, by: str | None, note: str, names: tuple[str, ...], **paths: Path | None
) -> None:
    """Check and sign a trained model before it is released.

    Logs, gradients, overfitting and silent bugs, each with its evidence and an owner who signs.

    Writes release.json and release.md next to the model. Exit codes: 0 open, 1 failing or unsigned, 2 evidence is
    missing.
    """
    from diagnose.commands.curves import judge_records
    from diagnose.curves.read_log import read
    from diagnose.release.checks import FinishedRun, run_checks
    from diagnose.release.release_file import ReleaseGate, read_old
    from diagnose.release.signatures import model_files, signed, valid_signatures
    from diagnose.render.release import show_release

    _check(run, by, note, names)
    model, records = model_files(run), read(run)
    report = judge_records(records)
    items = run_checks(FinishedRun(records, run, _audio_files(context.obj, run)), report)
    when = datetime.now(UTC).isoformat(timespec="seconds")
    standing, void = valid_signatures(read_old(run), items, model)
    for title in void:
        terminal.warn(f"{title}: model or evidence changed since it was signed; the signature is void")
    new = signed(items, model, names, by.strip(), note, when) if by else {}
    gate = ReleaseGate(items, {**standing, **new}, model, when)
    gate.write(run)
    show_release(gate, run)
    write_report(report, **paths)
    context.exit(gate.exit_code)


def _audio_files(hooks: TrainerHooks, run: Path) -> tuple[Path, ...]:
    """Of the configuration that our trainer kept; none of another trainer's run."""
    from diagnose.curves.trainer_state import RESOLVED
    from diagnose.engine.engine import installed
    from diagnose.gate.run_preflight import digest_inputs

    try:
        facts = hooks.facts_from(str(run / RESOLVED), (), None)
        inputs = digest_inputs(installed().context(facts))
    except InputError:
        return ()
    return inputs.audio_files if inputs else ()


def _check(run: Path, by: str | None, note: str, names: tuple[str, ...]) -> None:
    if not run.is_dir():
        raise InputError(f"{run}: there is no such folder; give the folder in which the run left its model")
    if by is None and (note or names):
        raise InputError("--note and --item belong to a signature: add --sign NAME")
    if by is not None and not by.strip():
        raise InputError("--sign needs a name: --sign 'Lan Nguyen'")
