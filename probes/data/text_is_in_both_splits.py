from diagnose import Findings, Severity, Stage, probe
from probes.facts.splits.types import SharedTexts
from probes.reporting.row_finding import note_unless, row_finding

SHARE = 0.01  # of the evaluation texts of 20 letters and more; a stock phrase may come twice


@probe(id="DAT036", stage=Stage.DATA, severity=Severity.WARNING, explains=("DAT037",))
def text_is_in_both_splits(shared_texts: SharedTexts) -> Findings:
    """Evaluation texts also occur in the training set, so memorized sentences score well."""
    count = len(shared_texts.pairs)
    for pair in shared_texts.pairs:
        yield row_finding(
            pair.row,
            f"its text is also in the training set at {pair.other.where}; {count} of {shared_texts.eval_rows} "
            "evaluation texts are in both splits",
            "split by text or by source, so that no sentence is in both splits",
            note_unless(count > SHARE * shared_texts.eval_rows),
            shared=count,
            rows=shared_texts.eval_rows,
        )
