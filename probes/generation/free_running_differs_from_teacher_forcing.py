from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.types import TeacherForcingGap

# With nine of ten labels right when led, a model that listens to its input stays near the labels alone as well;
# half of them lost is more than its own mistakes can explain.
LED, ALONE = 0.9, 0.5


@probe(id="GEN010", stage=Stage.GENERATION, severity=Severity.WARNING)
def free_running_differs_from_teacher_forcing(teacher_forcing_gap: TeacherForcingGap) -> Findings:
    """Free-running generation differs from the labels, although teacher forcing predicts them."""
    if teacher_forcing_gap.forced >= LED and teacher_forcing_gap.free < ALONE:
        said, labels = teacher_forcing_gap.example
        yield Finding(
            where="generate",
            message=f"teacher forcing predicts {teacher_forcing_gap.forced:.0%} of the labels, but free-running "
            f"generation matches {teacher_forcing_gap.free:.0%} of them: {said!r} instead of {labels!r}",
            fix="compare the decoder inputs in generation (start token, prompt, positions, cache, mask) with training",
            measured={"forced": teacher_forcing_gap.forced, "free": teacher_forcing_gap.free},
        )
