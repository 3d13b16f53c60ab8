from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.environment.types import CheckpointRoom

GB = 2**30


@probe(id="ENV008", stage=Stage.ENVIRONMENT, severity=Severity.ERROR)
def disk_space_is_too_small(checkpoint_disk_space: CheckpointRoom) -> Findings:
    """Free disk space is too small for the checkpoints that the run will save."""
    room = checkpoint_disk_space
    # A lower bound, so no margin is needed: tokenizer, logs and random states come on top.
    if room.needed <= room.free:
        return
    one = f"{room.weights / GB:.2f} GB of weights and {room.state / GB:.2f} GB of optimizer state"
    yield Finding(
        where=room.folder,
        message=f"{room.at_once} checkpoints, each with {one}, and the final model need {room.needed / GB:.2f} GB; "
        f"{room.free / GB:.2f} GB are free",
        fix="lower save_total_limit, or save to a larger disk",
        measured={"needed": room.needed, "free": room.free, "checkpoints": room.at_once},
    )
