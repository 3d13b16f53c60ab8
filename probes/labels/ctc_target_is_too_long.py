from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.labels.types import CtcRow


@probe(
    id="LAB018",
    stage=Stage.LABELS,
    severity=Severity.ERROR,
    explains=("LOS0[056]?", "LOS01[!4]", "GRD*", "PRE*", "LRN*"),
)
def ctc_target_is_too_long(ctc_rows: tuple[CtcRow, ...]) -> Findings:
    """A CTC target needs more frames than the encoder outputs, so its loss is infinite."""
    for row in sorted(ctc_rows, key=lambda row: row.frames - row.needed):
        if row.needed > row.frames:
            yield Finding(
                where=row.where,
                message=f"{row.symbols} symbols and {row.repeats} repeats need {row.needed} frames, the encoder "
                f"outputs {row.frames}",
                fix="drop these rows, check that audio and text match, or reduce the subsampling",
                measured={"symbols": row.symbols, "repeats": row.repeats, "frames": row.frames},
            )
