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
            f"{text.place} holds {', '.join(text.invisible[:3])}, expected none that cannot be seen; "
            f"so do {len(found)} of {len(text_checks)} texts",
            "put plain spaces in their place, or nothing: `train prepare` does",
            characters=text.invisible[0],
            texts=len(found),
        )
