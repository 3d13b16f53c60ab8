"""The types of a diagnosis: plain, frozen data. No torch, no printing, no judgement."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Self, TypeAlias


class Severity(StrEnum):
    """error closes the gate; a warning is shown; a note is information and never an alarm."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Stage(StrEnum):
    """In the order of cost, which is also the order in which a person should look. `prefix`: of its probes' ids."""

    prefix: str

    ENVIRONMENT = "environment", "ENV"
    CONFIG = "config", "CFG"
    DATA = "data", "DAT"
    LABELS = "labels", "LAB"
    TOKENIZER = "tokenizer", "TOK"
    PARAMETERS = "parameters", "PAR"
    PLACEMENT = "placement", "PLC"
    MEMORY = "memory", "MEM"
    LOSS = "loss", "LOS"
    GRADIENTS = "gradients", "GRD"
    PRECISION = "precision", "PRE"
    LEARNING = "learning", "LRN"
    GENERATION = "generation", "GEN"
    DISTRIBUTED = "distributed", "DST"
    STEPS = "steps", "STP"

    def __new__(cls, value: str, prefix: str = "") -> Self:
        stage = str.__new__(cls, value)
        stage._value_, stage.prefix = value, prefix
        return stage


Number = int | float | str | bool | None


@dataclass(frozen=True)
class Finding:
    """What a probe saw: where, measured against expected, and the one thing to do about it."""

    where: str
    message: str
    fix: str
    measured: Mapping[str, Number] = field(default_factory=dict)
    severity: Severity | None = None  # None: the probe's own; a probe may yield milder findings than its own severity
    file: str | None = None  # for SARIF: the configuration, manifest or source file, when there is one
    line: int | None = None
    setting: str = ""  # the one configuration key that is the fix, `training.shuffle: true`; see runner.fix_for_run
    probe: str = ""  # filled in by the runner
    stage: Stage | None = None  # filled in by the runner
    instances: tuple["Finding", ...] = ()  # what a merged finding stands for, see engine.merge; () for a single one

    @property
    def singles(self) -> tuple["Finding", ...]:
        """Its instances, or itself."""
        return self.instances or (self,)

    @property
    def place(self) -> str:
        """The first place, and how many more there are."""
        more = f" and {len(self.instances) - 1:,} more" if self.instances else ""
        return f"{self.singles[0].where}{more}"


Findings: TypeAlias = Iterator[Finding]  # what a probe yields


class Status(StrEnum):
    """What became of a probe. Only `passed` is passed: what did not look, or broke, never counts as clean."""

    PASSED = "passed"
    FOUND = "found"
    SKIPPED = "skipped"
    BLOCKED = "blocked"
    CRASHED = "crashed"


class SkipKind(StrEnum):
    """Why a probe did not look and nothing is wrong with that."""

    NOT_GIVEN = "not given"
    NOT_APPLICABLE = "not applicable"
    AFTER_ERROR = "after an error"
    IGNORED = "ignored"


class Verdict(StrEnum):
    """May the run start? go: no error, and the evidence is there; no-go: an error; inconclusive: neither was shown."""

    GO = "go"
    NO_GO = "no-go"
    INCONCLUSIVE = "inconclusive"

    @classmethod
    def _missing_(cls, value: object) -> "Verdict | None":
        """Files of the last release say `cannot-vouch`."""
        return cls.INCONCLUSIVE if value == "cannot-vouch" else None


@dataclass(frozen=True)
class Outcome:
    """One probe's result. `reason`: why it did not look, or how it crashed; `chain`: the facts that led there."""

    probe: str
    name: str
    title: str
    stage: Stage
    severity: Severity
    status: Status
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    chain: tuple[str, ...] = ()
    trace: str = ""
    elapsed: float = 0.0
    explains: tuple[str, ...] = ()
    skip: SkipKind | None = None

    @property
    def ran(self) -> bool:
        return self.status in (Status.PASSED, Status.FOUND)

    @property
    def reason_chain(self) -> str:
        """The reason with its chain: `label_rows ← batch: ValueError: row 3 is torn`."""
        return f"{' ← '.join(self.chain)}: {self.reason}" if self.chain else self.reason

    @property
    def cause(self) -> str:
        """The reason with the fact that gave it, and without the way there: `batch: ValueError: row 3 is torn`."""
        return ": ".join([*self.chain[-1:], self.reason])

    @property
    def worst(self) -> Severity | None:
        """The most severe among the findings."""
        return min((f.severity for f in self.findings if f.severity), key=list(Severity).index, default=None)
