from diagnose import Findings, Severity, Stage, probe
from probes.facts.corpus.types import UsualText
from probes.reporting.row_finding import row_finding

FEWEST = 20  # rows; fewer may well be one sentence by several voices
MOST = 0.9  # of the rows: corpora of a few commands have a quarter, one wake word beside others a half


@probe(id="DAT055", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT03[2-7]", "DAT040", "DAT050"))
def texts_are_all_the_same(usual_texts: tuple[UsualText, ...]) -> Findings:
    """Nearly all training rows have the same text, so the model can ignore its input."""
    for usual in usual_texts:
        if usual.total >= FEWEST and usual.count >= MOST * usual.total:
            yield row_finding(
                usual.example,
                f"{usual.count} of {usual.total} rows have the {usual.column} {usual.text[:60]!r}, expected less than "
                f"{MOST:.0%}",
                "check how the manifest was joined: each row needs the text of its own input",
                None if usual.count == usual.total else Severity.WARNING,
                rows=usual.count,
                of=usual.total,
            )
