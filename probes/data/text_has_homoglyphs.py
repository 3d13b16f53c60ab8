from diagnose import Findings, Severity, Stage, probe
from probes.facts.text.types import TextCheck
from probes.reporting.row_finding import row_finding


@probe(id="DAT027", stage=Stage.DATA, severity=Severity.WARNING)
def text_has_homoglyphs(text_checks: tuple[TextCheck, ...]) -> Findings:
    """Text contains homoglyphs: look-alike letters of another script, such as a Cyrillic a."""
    found = [text for text in text_checks if text.homoglyph_words]
    for text in found:
        yield row_finding(
            text.row,
            f"{text.place} has {', '.join(text.homoglyph_words[:3])} with letters of another script; {len(found)} of "
            f"{len(text_checks)} texts are affected",
            "replace the look-alike letters so that each word uses one script",
            word=text.homoglyph_words[0],
            texts=len(found),
        )
