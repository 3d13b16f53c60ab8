from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import RowWaveform
from probes.reporting.row_finding import row_finding

SYLLABLE = 0.1  # seconds; nothing that is said is shorter


@probe(id="DAT018", stage=Stage.DATA, severity=Severity.WARNING, explains=("DAT030",), spoils_row=True)
def audio_is_silent(waveforms: tuple[RowWaveform, ...]) -> Findings:
    """An audio clip is silent although it has a text, so the model learns to hallucinate."""
    told: set[str] = set()
    for heard in waveforms:
        wave = heard.wave
        if wave.seconds >= SYLLABLE > wave.voiced_seconds and not wave.not_finite and heard.row.where not in told:
            told.add(heard.row.where)
            yield row_finding(
                heard.row,
                f"only {wave.voiced_seconds:.2f} s of the {wave.seconds:.2f} s of {heard.name} are above the silence "
                f"threshold, expected at least {SYLLABLE} s",
                "use the correct recording, or remove the row from the manifest",
                seconds=wave.seconds,
                sounding=wave.voiced_seconds,
            )
