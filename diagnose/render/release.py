"""What `diagnose release` prints: each check with its evidence, findings and owner, then the verdict."""

from pathlib import Path

from rich.text import Text

from diagnose.release.release_file import ReleaseGate
from diagnose.render.lines import COLORS, print_lines
from diagnose.terminal.console import console


def show_release(gate: ReleaseGate, run: Path) -> None:
    lines = [(0, Text("RELEASE GATE", style="bold"))]
    for item in gate.items:
        lines += [(0, Text("")), (0, Text.assemble((f"{item.state}  {item.check.title}", "bold")))]
        lines += [(2, Text(f"evidence: {item.evidence}"))]
        for finding in item.findings:
            head = (f"{finding.probe} {finding.severity}", COLORS[finding.severity] if finding.severity else "")
            lines += [(2, Text.assemble(head, f"  {finding.where}: {finding.message}"))]
            lines += [(4, Text(f"fix: {finding.fix}"))]
        lines += [(2, Text(f"owner: {item.check.owner}; signed: {gate.signature(item)}"))]
    color = "green" if gate.exit_code == 0 else "red"
    lines += [(0, Text("")), (0, Text(f"written: {run / 'release.json'}, release.md"))]
    print_lines([*lines, (0, Text(gate.verdict, style=f"bold {color}"))], console())
