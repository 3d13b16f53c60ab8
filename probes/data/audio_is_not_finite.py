from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import RowWaveform
from probes.reporting.row_finding import row_finding


@probe(
    id="DAT008",
    stage=Stage.DATA,
    severity=Severity.ERROR,
    explains=("DAT003", "DAT022", "LOS001", "GRD004"),
    spoils_row=True,
)
def audio_is_not_finite(waveforms: tuple[RowWaveform, ...]) -> Findings:
    """Audio samples are NaN or Inf, which makes the loss NaN."""
    told: set[str] = set()
    for heard in waveforms:  # files come first: what is wrong in the file is not told again of the item
        wave = heard.wave
        if wave.not_finite and heard.row.where not in told:
            told.add(heard.row.where)
            yield row_finding(
                heard.row,
                f"{heard.name} has {wave.not_finite:,} samples that are NaN or infinite, the first at "
                f"{wave.bad_second or 0:.3f} s, expected none",
                "fix the augmentation that produces them" if heard.loaded else "export the clip again, or drop the row",
                not_finite=wave.not_finite,
                second=wave.bad_second,
            )
