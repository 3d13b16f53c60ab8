from diagnose import Findings, Severity, Stage, probe
from probes.facts.splits.types import DuplicateInputs
from probes.reporting.row_finding import row_finding


@probe(id="DAT033", stage=Stage.DATA, severity=Severity.WARNING)
def same_input_has_several_targets(duplicate_inputs: DuplicateInputs) -> Findings:
    """The same input has several different target texts in the training set."""
    count = len(duplicate_inputs.conflicting)
    for pair in duplicate_inputs.conflicting:
        yield row_finding(
            pair.row,
            f"the same {pair.how} stands at {pair.other.where} with another text; "
            f"so do {count} of {duplicate_inputs.train_rows} rows",
            "find out which text belongs to it, and take the other row out",
            conflicting=count,
            rows=duplicate_inputs.train_rows,
        )
