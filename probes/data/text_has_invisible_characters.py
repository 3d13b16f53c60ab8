from diagnose import Findings, Severity, Stage, probe
from probes.facts.text.types import TextChecks
from probes.reporting.row_finding import row_finding


@probe(id="DAT026", stage=Stage.DATA, severity=Severity.WARNING)
def text_has_invisible_characters(text_checks: TextChecks) -> Findings:
    """Text contains invisible characters, which change its tokenization."""
    found = [text for text in text_checks.rows if text.invisible and not text.same_ids]
    for text in found:
        yield row_finding(
            text.row,
            f"{text.place} contains {', '.join(text.invisible[:3])}, expected no invisible characters; {len(found)} "
            f"of {text_checks.total} texts are affected",
            "replace them with spaces or remove them: `train prepare` does this",
            characters=text.invisible[0],
            texts=len(found),
        )
