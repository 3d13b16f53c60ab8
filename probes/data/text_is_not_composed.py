from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.text.types import TextRow
from probes.reporting.row_finding import at


@probe(id="DAT025", stage=Stage.DATA, severity=Severity.WARNING)
def text_is_not_composed(text_rows: tuple[TextRow, ...]) -> Iterator[Finding]:
    """Letters are written as letter and mark apart (NFD): to the tokenizer the same word is another word."""
    apart = [text for text in text_rows if text.apart and not text.same_ids]
    for text in apart:
        yield at(
            text.row,
            f"{text.place} writes {text.apart} letters with their marks apart, expected one character for each (NFC); "
            f"so do {len(apart)} of {len(text_rows)} texts",
            'compose the texts: unicodedata.normalize("NFC", text), or `train prepare`',
            apart=text.apart,
            texts=len(apart),
        )
