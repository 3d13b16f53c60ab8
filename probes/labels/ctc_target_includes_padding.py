from collections import Counter

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.types import CtcRow

FEWEST = 2  # rows that end with the same symbol, over and over: two words may, whole batches do not


@probe(id="LAB036", stage=Stage.LABELS, severity=Severity.ERROR, explains=("LAB018", "LOS*", "GRD*", "LRN*", "GEN*"))
def ctc_target_includes_padding(ctc_rows: tuple[CtcRow, ...]) -> Findings:
    """CTC target lengths include padding, so the model learns to output padding."""
    filled = [row for row in ctc_rows if row.tail > 1]
    common = Counter(row.last for row in filled).most_common(1)
    if not all(row.full for row in ctc_rows) or not common or common[0][1] < FEWEST:
        return
    symbol = common[0][0]
    worst = max((row for row in filled if row.last == symbol), key=lambda row: row.tail)
    yield Finding(
        where=worst.where,
        message=f"its CTC target has {worst.symbols} symbols, as all rows of its batch, and ends with {worst.tail} "
        f"times {symbol}; {common[0][1]} of {len(ctc_rows)} rows are affected, expected targets as long as their text",
        fix="compute target_lengths before padding, or as (labels != -100).sum(1)",
        measured={"symbols": worst.symbols, "padding": worst.tail, "id": symbol, "rows": common[0][1]},
    )
