from diagnose import Findings, Severity, Stage, probe
from probes.facts.distributed.types import Ranks, RankStop
from probes.reporting.code_finding import code_finding

# How gloo says that two processes sent tensors of other sizes in one operation.
MISMATCH = "doesn't match expected size"


@probe(id="DST005", stage=Stage.DISTRIBUTED, severity=Severity.ERROR)
def distributed_evaluation_fails(distributed_evaluation: Ranks) -> Findings:
    """Distributed evaluation raises or hangs in a group of several processes."""
    stop = distributed_evaluation.stopped("evaluation")
    if stop is None:
        return
    count = len(distributed_evaluation.ranks)
    forced = ", with texts of different lengths per process" if MISMATCH in stop.failure.message else ""
    yield code_finding(
        stop.failure.line,
        f"rank {stop.rank}",
        f"with {count} processes{forced}, {stop}; expected metrics",
        _fix(stop),
        rank=stop.rank,
        how=stop.how,
        processes=count,
        trace=stop.failure.trace,
    )


def _fix(stop: RankStop) -> str:
    place = stop.failure.line or "the call that fails"
    if MISMATCH in stop.failure.message:
        return (
            f"pad to the same length before gathering at {place}: accelerator.pad_across_processes(ids, dim=1, "
            "pad_index=…)"
        )
    if stop.how == "waited":
        return f"call each gather, reduce and barrier equally often in every process: check {place}"
    return f"evaluate a few rows under torchrun and fix {place}"
