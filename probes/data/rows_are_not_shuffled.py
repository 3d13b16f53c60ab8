from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.dataloader.types import RowOrder


@probe(id="DAT044", stage=Stage.DATA, severity=Severity.WARNING)
def rows_are_not_shuffled(row_order: RowOrder) -> Findings:
    """Training rows are not shuffled: every epoch takes them in the same order."""
    first = ", ".join(map(str, row_order.first))
    if row_order.in_turn:
        yield Finding(
            where="train_batches",
            message=f"{row_order.sampler} returns the {row_order.rows:,} rows in file order ({first}, …), expected a "
            "random order",
            fix="set DataLoader(shuffle=True)",
            measured={"rows": row_order.rows, "batches": row_order.batches},
            setting="training.shuffle: true",
        )
    elif row_order.waits and row_order.set_epoch_is_called is False:
        yield Finding(
            where="train_batches",
            message=f"{row_order.sampler} returns the {row_order.rows:,} rows in the same order in every epoch "
            f"({first}, …) until its set_epoch is called, and no code around this preflight calls it",
            fix="call the sampler's set_epoch(epoch) before each epoch",
            measured={"rows": row_order.rows, "batches": row_order.batches},
        )
    elif row_order.repeated:
        yield Finding(
            where="train_batches",
            message=f"{row_order.sampler} returns the {row_order.rows:,} rows in the same order in every epoch "
            f"({first}, …)",
            fix="draw a new order in each epoch and call sampler.set_epoch(epoch)",
            measured={"rows": row_order.rows, "batches": row_order.batches},
            severity=Severity.NOTE,
        )
