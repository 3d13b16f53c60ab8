"""Why a fact cannot be had, and what becomes of the probes that need it."""

from typing import Self

from diagnose.engine.types import SkipKind, Status


class FactError(Exception):
    """A fact that cannot be had. `chain` leads from the requested fact to the one that failed."""

    status = Status.BLOCKED
    skip: SkipKind | None = None

    def __init__(self, reason: str, chain: tuple[str, ...] = (), trace: str = "") -> None:
        super().__init__(reason)
        self.reason, self.chain, self.trace = reason, chain, trace

    def __str__(self) -> str:
        return f"{' ← '.join(self.chain)}: {self.reason}" if self.chain else self.reason

    def of(self, fact: str) -> Self:
        """The same error for a fact that needs this one."""
        return type(self)(self.reason, (fact, *self.chain), self.trace)

    def plain(self) -> Self:
        """Without the frames of its traceback, which would keep batches and models alive."""
        return type(self)(self.reason, self.chain, self.trace)


class Unavailable(FactError):
    """Raised by a provider that finds nothing to measure (an empty manifest, no audio): what needs it is blocked."""


class FactFailed(FactError):
    """A provider raised: what needs it is blocked."""


class NotApplicable(FactError):
    """Raised by a provider where the question makes no sense (no CTC head, no GPU): what needs it is skipped."""

    status = Status.SKIPPED
    skip = SkipKind.NOT_APPLICABLE


class NotGiven(FactError):
    """Nobody gave the fact, nor what it could be derived from: what needs it is skipped."""

    status = Status.SKIPPED
    skip = SkipKind.NOT_GIVEN

    def of(self, fact: str) -> Self:
        """It names the missing facts itself: the way there says nothing more."""
        return self.plain()
