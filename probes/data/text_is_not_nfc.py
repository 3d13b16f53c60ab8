from diagnose import Findings, Severity, Stage, probe
from probes.facts.text.types import TextChecks
from probes.reporting.row_finding import row_finding


@probe(id="DAT025", stage=Stage.DATA, severity=Severity.WARNING)
def text_is_not_nfc(text_checks: TextChecks) -> Findings:
    """Text is not in Unicode NFC form, so identical words are tokenized differently."""
    apart = [text for text in text_checks.rows if text.decomposed and not text.same_ids]
    for text in apart:
        yield row_finding(
            text.row,
            f"{text.place} has {text.decomposed} letters with separate combining marks, expected NFC; {len(apart)} of "
            f"{text_checks.total} texts are affected",
            'normalize the texts: unicodedata.normalize("NFC", text), or `train prepare`',
            apart=text.decomposed,
            texts=len(apart),
        )
