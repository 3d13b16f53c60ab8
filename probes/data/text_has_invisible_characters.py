from diagnose import Findings, Severity, Stage, probe
from probes.facts.text.types import TextCheck
from probes.reporting.row_finding import row_finding


@probe(id="DAT026", stage=Stage.DATA, severity=Severity.WARNING)
def text_has_invisible_characters(text_checks: tuple[TextCheck, ...]) -> Findings:
    """Text contains invisible characters, which change its tokenization."""
    found = [text for text in text_checks if text.invisible and not text.same_ids]
    for text in found:
        yield row_finding(
            text.row,
            f"{text.place} contains {', '.join(text.invisible[:3])}, expected no invisible characters; {len(found)} "
            f"of {len(text_checks)} texts are affected",
            "replace them with spaces or remove them: `train prepare` does this",
            characters=text.invisible[0],
            texts=len(found),
        )
