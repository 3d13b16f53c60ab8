from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.distributed.types import RankBatches
from probes.facts.settings.types import RunSettings


@probe(id="DST001", stage=Stage.DISTRIBUTED, severity=Severity.ERROR)
def ranks_hold_different_batch_counts(
    rank_batches: tuple[RankBatches, ...], total_steps: int | None = None, run_settings: RunSettings | None = None
) -> Findings:
    """Ranks have different numbers of batches, so training hangs at the end of an epoch."""
    most = max(batches.count for batches in rank_batches)
    fewest = min((batches.count for batches in rank_batches if batches.whole), default=most)
    accumulation = (run_settings.accumulation if run_settings else None) or 1
    ends_before = total_steps is not None and total_steps * accumulation <= fewest  # it never comes to that place
    if fewest == most or ends_before:
        return
    short = next(number for number, batches in enumerate(rank_batches) if batches.count == fewest)
    told = " and ".join(f"{'' if one.whole else 'at least '}{one.count}" for one in rank_batches)
    yield Finding(
        where=f"rank {short}",
        message=f"{told} batches per epoch on ranks 0 to {len(rank_batches) - 1}, expected the same number; after "
        f"batch {fewest} the other ranks wait for rank {short}",
        fix="use DistributedSampler or accelerate, which pad the shards, or set drop_last=True",
        measured={"fewest": fewest, "most": most, "processes": len(rank_batches)},
    )
