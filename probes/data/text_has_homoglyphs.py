from diagnose import Findings, Severity, Stage, probe
from probes.facts.text.types import TextChecks
from probes.reporting.row_finding import row_finding


@probe(id="DAT027", stage=Stage.DATA, severity=Severity.WARNING)
def text_has_homoglyphs(text_checks: TextChecks) -> Findings:
    """Text contains homoglyphs: look-alike letters of another script, such as a Cyrillic a."""
    found = [text for text in text_checks.rows if text.homoglyph_words]
    for text in found:
        yield row_finding(
            text.row,
            f"{text.place} has {', '.join(text.homoglyph_words[:3])} with letters of another script; {len(found)} of "
            f"{text_checks.total} texts are affected",
            "replace the look-alike letters so that each word uses one script",
            word=text.homoglyph_words[0],
            texts=len(found),
        )
