from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.splits.types import DuplicateInputs
from probes.reporting.row_finding import row_finding


@probe(id="DAT035", stage=Stage.DATA, severity=Severity.WARNING, explains=("DAT036", "DAT037", "DAT038", "DAT039"))
def audio_is_in_both_splits(twins_across: DuplicateInputs) -> Iterator[Finding]:
    """A clip or document of the evaluation set is in the training set too: the scores measure memory."""
    count = len(twins_across.across)
    for pair in twins_across.across:
        yield row_finding(
            pair.row,
            f"the same {pair.how} is trained on at {pair.other.where}; "
            f"so are {count} of {twins_across.eval_rows} evaluation rows",
            "split again by recording, so that nothing is on both sides: `train split`",
            shared=count,
            rows=twins_across.eval_rows,
        )
