from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.pairing.types import RowMatches

FIX = "order, shuffle and pad inputs and labels together: once, before the batch is made of them"


@probe(id="LRN033", stage=Stage.LEARNING, severity=Severity.ERROR, explains=("LRN*", "GEN*", "LOS*"))
def labels_fit_other_rows(row_matches: RowMatches) -> Findings:
    """The labels of a batch fit the inputs of other rows than their own, position by position."""
    found = row_matches
    if found.share is not None:
        yield Finding(
            where="batch 0",
            message=f"a causal language model learns its own input, and {found.share:.0%} of the labels of "
            f"{found.rows} rows are the input's token at their position or next to it, expected nearly all",
            fix=FIX,
            measured={"share": found.share, "rows": found.rows},
        )
    if found.example is None:
        return
    batch, row, other = found.example
    yield Finding(
        where=f"batch {batch}, row {row}",
        message=f"its labels match the input of row {other} best; {found.moved} of {found.rows} rows in "
        f"{found.batches} batches match another row (by {found.by}; p = {found.chance:.1g}), expected their own",
        fix=FIX,
        measured={"moved": found.moved, "rows": found.rows, "chance": found.chance},
    )
