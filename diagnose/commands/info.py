"""The commands that need no run: list, explain, env, diff. None of them imports torch to answer."""

from pathlib import Path

import click

from diagnose.commands.options import FILE
from diagnose.common.progress import Verbosity, verbosity
from diagnose.terminal import terminal


@click.command("list")
def list_probes() -> None:
    """List every check: id, stage, severity, title."""
    from diagnose.engine import discovery

    found = discovery.probes()
    for probe in found.items:
        terminal.print_result(f"{probe.id}  {probe.stage:<11}  {probe.severity:<7}  {probe.title}")
    for outcome in found.unreadable:
        terminal.warn(f"{outcome.probe} cannot be read: {outcome.reason}")


@click.command()
@click.argument("id_or_symptom", nargs=-1, required=True)
def explain(id_or_symptom: tuple[str, ...]) -> None:
    """Explain a finding (LAB002) or a symptom ("loss is nan").

    With -v also as a small example that runs.
    """
    from rich.markdown import Markdown

    from diagnose.engine import discovery
    from diagnose.playbook_search import explain as explained

    explanation = explained(" ".join(id_or_symptom), discovery.probes().items)
    text = explanation.markdown if verbosity.get() >= Verbosity.VERBOSE else explanation.advice
    console = terminal.console()
    if console.is_terminal:
        console.print(Markdown(text))
    else:
        terminal.print_result(text.rstrip())
    if explanation.also:
        terminal.print_result("\nsee also:\n  " + "\n  ".join(explanation.also))


@click.command()
@click.option("--repair", is_flag=True, help="Make a CUDA build of torchaudio importable with a CPU torch.")
@click.option("--undo-repair", is_flag=True, help="Put back what --repair set aside.")
@click.option("--bundle", "bundle_path", type=FILE, metavar="PATH.zip", help="Pack what a bug report needs. No data.")
@click.option("--run", type=click.Path(path_type=Path), metavar="DIR", help="The run's directory, for --bundle.")
def env(repair: bool, undo_repair: bool, bundle_path: Path | None, run: Path | None) -> None:
    """Show versions and devices, as a bug report needs them."""
    from diagnose import torchaudio_repair as repairs

    if undo_repair:
        terminal.print_result("put back: " + (", ".join(repairs.undo()) or "nothing was set aside"))
    if repair:
        terminal.print_result(str(repairs.repair()))
    if bundle_path:
        from diagnose.bug_report import write_bug_report

        terminal.print_result(f"{bundle_path}: {', '.join(write_bug_report(bundle_path, run))}")
    if not (repair or undo_repair or bundle_path):
        from diagnose.environment import describe

        for name, value in describe():
            terminal.print_result(f"{name}: {value}")


@click.command()
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
def diff(a: Path, b: Path) -> None:
    """Show what changed between the receipts of two runs.

    A and B are receipts, or the directories of runs.
    """
    from diagnose.gate.output_folder import read_receipt
    from diagnose.gate.receipt_diff import receipt_differences

    changed = list(receipt_differences(read_receipt(a), read_receipt(b)))
    terminal.print_result("\n".join(changed) or "nothing changed")
