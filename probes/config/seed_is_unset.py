from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.settings.types import Seeding
from probes.reporting.setting_finding import at


@probe(id="CFG017", stage=Stage.CONFIG, severity=Severity.WARNING)
def seed_is_unset(seeding: Seeding) -> Iterator[Finding]:
    """The run has no seed: it cannot be repeated, and two settings cannot be compared."""
    if seeding.seed is None:
        yield at(
            seeding.place,
            "it is set to nothing" if seeding.written else "nothing in the arguments sets it",
            "set a seed, and seed python, numpy and torch with it before the model is built",
            None if seeding.written else Severity.NOTE,
        )
