"""The guard as the loop sees it: a Protocol, for the trainer does not import the diagnosis."""

from pathlib import Path
from typing import Any, NoReturn, Protocol


class GuardProtocol(Protocol):
    """Judges every step of a run."""

    mode: str  # off, warn or stop

    def begin(self, **run_facts: Any) -> None:
        """Takes what is known of the run before its first step."""

    def due(self, step: int) -> bool:
        """Whether this step is judged together with all before it."""

    def judge(self, **figures: Any) -> bool:
        """Whether the run has to end."""

    def halt(self, recording: Path | None = None) -> NoReturn:
        """Ends the run by an exception."""
