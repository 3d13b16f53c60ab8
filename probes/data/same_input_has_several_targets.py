from diagnose import Findings, Severity, Stage, probe
from probes.facts.splits.types import DuplicateInputs
from probes.reporting.row_finding import row_finding


@probe(id="DAT033", stage=Stage.DATA, severity=Severity.WARNING, spoils_row=True)
def same_input_has_several_targets(duplicate_inputs: DuplicateInputs) -> Findings:
    """The same input has several different target texts in the training set."""
    count = len(duplicate_inputs.conflicting)
    for pair in duplicate_inputs.conflicting:
        yield row_finding(
            pair.row,
            f"the same {pair.how} is at {pair.other.where} with a different text; {count} of "
            f"{duplicate_inputs.train_rows} rows are affected",
            "find the correct text and remove the other row",
            conflicting=count,
            rows=duplicate_inputs.train_rows,
        )
