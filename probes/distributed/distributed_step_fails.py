from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.distributed.types import Ranks

CURES = (
    (
        "finished reduction",
        "pass find_unused_parameters=True, or use every trainable parameter in the loss of every step",
    ),
    ("marked ready twice", "set use_reentrant=False for gradient checkpointing, or _set_static_graph() of the wrapper"),
    ("inplace", "pass broadcast_buffers=False, or run the model once in each step"),
)


@probe(id="DST004", stage=Stage.DISTRIBUTED, severity=Severity.ERROR, explains=("DST005",))
def distributed_step_fails(distributed_step: Ranks) -> Iterator[Finding]:
    """The distributed training step raises or hangs, although it works in a single process."""
    stop = distributed_step.stopped("step")
    if stop is None:
        return
    failure, count = stop.failure, len(distributed_step.ranks)
    file, _, line = failure.line.rpartition(":")
    default = f"run two steps under torchrun and mend {failure.line or 'what rank ' + str(stop.rank) + ' does'}"
    yield Finding(
        where=failure.module or f"rank {stop.rank}",
        message=f"in a group of {count}, {stop}; expected two steps",
        fix=next((cure for words, cure in CURES if words in failure.message), default),
        measured={"rank": stop.rank, "how": stop.how, "processes": count, "trace": failure.trace},
        file=file or None,
        line=int(line) if line.isdigit() else None,
    )
