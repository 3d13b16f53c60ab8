"""Who judges the steps of a run; given to the loop from outside, for it knows nothing of diagnosing."""

from pathlib import Path
from typing import Any, NoReturn, Protocol


class GuardProtocol(Protocol):
    """Is told of every step, and says whether the run has to end."""

    mode: str  # off, warn or stop

    def begin(self, **known: Any) -> None:
        """What is known of the run before its first step."""

    def due(self, step: int) -> bool:
        """Whether it looks at this step together with all before."""

    def judge(self, **figures: Any) -> bool:
        """Whether the run has to end."""

    def halt(self, recording: Path | None = None) -> NoReturn:
        """Ends it."""
