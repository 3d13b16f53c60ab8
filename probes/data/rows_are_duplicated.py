from diagnose import Findings, Severity, Stage, probe
from probes.facts.splits.types import DuplicateInputs
from probes.reporting.row_finding import note_unless, row_finding

SHARE = 0.01  # of the rows: fewer change nothing that can be measured


@probe(id="DAT032", stage=Stage.DATA, severity=Severity.WARNING, spoils_row=True)
def rows_are_duplicated(duplicate_inputs: DuplicateInputs) -> Findings:
    """Training rows are duplicated, so they weigh more than the others."""
    count = len(duplicate_inputs.repeated)
    for pair in duplicate_inputs.repeated:
        yield row_finding(
            pair.row,
            f"the same {pair.how} and text are already at {pair.other.where}; {count} of "
            f"{duplicate_inputs.train_rows} rows repeat an earlier row",
            "remove the repeated rows from the manifest",
            note_unless(count > SHARE * duplicate_inputs.train_rows),
            repeated=count,
            rows=duplicate_inputs.train_rows,
        )
