from diagnose import Findings, Severity, Stage, probe
from probes.facts.distributed.types import Ranks
from probes.reporting.code_finding import code_finding
from probes.reporting.failure_finding import fix_of


@probe(id="DST004", stage=Stage.DISTRIBUTED, severity=Severity.ERROR, explains=("DST005",))
def distributed_step_fails(distributed_step: Ranks) -> Findings:
    """The distributed training step raises or hangs, although it works in a single process."""
    stop = distributed_step.stopped("step")
    if stop is None:
        return
    failure, count = stop.failure, len(distributed_step.ranks)
    default = f"run two steps under torchrun and fix {failure.line or 'what rank ' + str(stop.rank) + ' does'}"
    yield code_finding(
        failure.line,
        failure.module or f"rank {stop.rank}",
        f"with {count} processes, {stop}; expected two completed steps",
        fix_of(failure, "distributed step", default),
        rank=stop.rank,
        how=stop.how,
        processes=count,
        trace=failure.trace,
    )
