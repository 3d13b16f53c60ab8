"""What one trial leaves: plain data, to be counted and shown."""

from dataclasses import dataclass
from enum import StrEnum

from diagnose.engine.decorators import Fault
from diagnose.engine.types import Stage


class TrialStatus(StrEnum):
    """`unproven`: it was put in and broke nothing, or could not be: the fault's own fault."""

    CAUGHT = "caught"
    MISSED = "missed"
    NOT_APPLICABLE = "not applicable"
    UNPROVEN = "unproven"


@dataclass(frozen=True)
class FaultTrial:
    """What became of one fault with one seed. `words`: what the gate said; `reason`: why there was nothing to say."""

    fault: str
    breaks: str
    expected: str
    stage: str
    seed: int
    ending: TrialStatus
    named: bool = False
    roots: tuple[str, ...] = ()
    words: str = ""
    reason: str = ""
    seconds: float = 0.0
    passes: float = 0.0


@dataclass(frozen=True)
class HealthyTrial:
    """The subject as it is: every alarm here is a false one. `kinds`: what it is like, as faults ask for it."""

    seed: int
    alarms: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    seconds: float = 0.0
    passes: float = 0.0


def empty_trial(
    fault: Fault, seed: int, ending: TrialStatus = TrialStatus.NOT_APPLICABLE, reason: str = ""
) -> FaultTrial:
    """Nothing is known yet but where it is expected."""
    stage = next(stage for stage in Stage if fault.probe_id.startswith(stage.prefix))
    return FaultTrial(fault.id, fault.description, fault.probe_id, stage, seed, ending, reason=reason)
