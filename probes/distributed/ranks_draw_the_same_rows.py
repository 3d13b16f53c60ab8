from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.distributed.types import RankBatches

FIX = "use a DistributedSampler (and call set_epoch), or pass the DataLoader to accelerator.prepare"


@probe(id="DST002", stage=Stage.DISTRIBUTED, severity=Severity.ERROR)
def ranks_draw_the_same_rows(rank_rows: tuple[RankBatches, ...]) -> Findings:
    """Ranks draw the same rows instead of separate shards of the dataset."""
    if min(len(batches.first) for batches in rank_rows) < 2:
        return  # one batch may be all there is, and is then repeated to keep the processes in step
    count, one = len(rank_rows), rank_rows[0]
    if len({batches.first for batches in rank_rows}) == 1:
        yield Finding(
            where="train_batches",
            message=f"the first {len(one.first)} batches are identical in all {count} processes, expected different "
            "rows in each",
            fix=FIX,
            measured={"processes": count, "batches": len(one.first)},
        )
    elif one.data and len({batches.data for batches in rank_rows}) == 1 and all(b.all_rows for b in rank_rows):
        yield Finding(
            where="train_batches",
            message=f"each of {count} processes iterates over all {one.rows} rows in an epoch; expected about "
            f"{-(-(one.rows or 0) // count)} rows in each: one epoch does the work of {count}",
            fix=FIX,
            measured={"processes": count, "rows": one.rows},
            severity=Severity.WARNING,
        )
