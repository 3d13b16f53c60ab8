from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.classes.types import ColumnBalance

SHARE = 0.9  # of the rows; the rest is seen once in ten rows, or less


@probe(id="DAT053", stage=Stage.DATA, severity=Severity.WARNING)
def tasks_are_imbalanced(column_balances: tuple[ColumnBalance, ...]) -> Findings:
    """Tasks, languages or classes are imbalanced: one of them has nearly all training rows."""
    for balance in column_balances:
        total = sum(balance.counts.values())
        name, largest = next(iter(balance.counts.items()))
        if largest > SHARE * total:
            rest = ", ".join(f"{other} {count:,}" for other, count in list(balance.counts.items())[1:5])
            yield Finding(
                where=f"train rows, {balance.column}",
                message=f"{name} has {largest / total:.1%} of {total:,} rows; others: {rest}",
                fix="oversample the rare ones, or exclude them and document it",
                measured={"share": largest / total, "values": len(balance.counts)},
                severity=None if balance.classes else Severity.NOTE,  # a corpus may well be mostly of one language
            )
