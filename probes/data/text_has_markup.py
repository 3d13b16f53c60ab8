from diagnose import Findings, Severity, Stage, probe
from probes.facts.text.types import TextChecks
from probes.reporting.row_finding import row_finding


@probe(id="DAT023", stage=Stage.DATA, severity=Severity.WARNING, spoils_row=True)
def text_has_markup(text_checks: TextChecks) -> Findings:
    """Text contains markup or annotations that are never spoken, such as [laughter] or HTML tags."""
    marked = [text for text in text_checks.rows if text.markup]
    for text in marked:
        shown = " ".join(text.markup[:3])
        yield row_finding(
            text.row,
            f"{text.place} contains {shown}, expected words only; {len(marked)} of {text_checks.total} texts are "
            "affected",
            "clean the texts with `train prepare`; add intended markers as tokens to the tokenizer",
            mark=shown,
            texts=len(marked),
        )
