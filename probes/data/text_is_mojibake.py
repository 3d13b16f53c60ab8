from diagnose import Findings, Severity, Stage, probe
from probes.facts.text.types import TextChecks
from probes.reporting.row_finding import row_finding


@probe(id="DAT024", stage=Stage.DATA, severity=Severity.WARNING, explains=("DAT02[67]", "DAT050"), spoils_row=True)
def text_is_mojibake(text_checks: TextChecks) -> Findings:
    """Text is mojibake: it was decoded with the wrong character encoding."""
    broken = [text for text in text_checks.rows if text.repaired]
    for text in broken:
        yield row_finding(
            text.row,
            f"{text.place} is {text.row.texts[text.column][:40]!r}, decoded correctly {text.repaired[:40]!r}; "
            f"{len(broken)} of {text_checks.total} texts are affected",
            "read the source file again as UTF-8; lost characters cannot be restored from here",
            texts=len(broken),
        )
