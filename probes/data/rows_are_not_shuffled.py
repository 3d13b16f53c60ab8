from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.dataloader.types import RowOrder


@probe(id="DAT044", stage=Stage.DATA, severity=Severity.WARNING)
def rows_are_not_shuffled(row_order: RowOrder) -> Findings:
    """Training rows are not shuffled: every epoch takes them in the same order."""
    first = ", ".join(map(str, row_order.first))
    if row_order.in_turn:
        yield Finding(
            where="train_batches",
            message=f"{row_order.sampler} takes the {row_order.rows:,} rows in turn ({first}, …), expected any other",
            fix="shuffle: DataLoader(shuffle=True), or training.shuffle: true",
            measured={"rows": row_order.rows, "batches": row_order.batches},
        )
    elif row_order.repeated:
        yield Finding(
            where="train_batches",
            message=f"{row_order.sampler} takes the {row_order.rows:,} rows alike in every epoch ({first}, …)",
            fix="let the sampler draw a new order for each epoch, and call its set_epoch",
            measured={"rows": row_order.rows, "batches": row_order.batches},
            severity=Severity.NOTE,
        )
