from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.generation.types import TeacherForcingGap

# With nine of ten labels right when led, a model that listens to its input stays near the labels alone as well;
# half of them lost is more than its own mistakes can explain.
LED, ALONE = 0.9, 0.5


@probe(id="GEN010", stage=Stage.GENERATION, severity=Severity.WARNING)
def free_running_falls_behind(agreement: TeacherForcingGap) -> Iterator[Finding]:
    """The model knows the labels when led through them, and says something else by itself: decoding is at fault."""
    if agreement.forced >= LED and agreement.free < ALONE:
        said, labels = agreement.example
        yield Finding(
            where="generate",
            message=f"{agreement.forced:.0%} of the labels are right with those before given, and what is said freely "
            f"is {agreement.free:.0%} like them: {said!r} for {labels!r}",
            fix="compare what generation gives the decoder (start, prompt, positions, cache, mask) with training",
            measured={"forced": agreement.forced, "free": agreement.free},
        )
