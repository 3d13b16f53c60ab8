from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import AudioLimits, RowWaveform
from probes.reporting.row_finding import row_finding, worst_first

WINDOW = 0.025  # seconds: the analysis window of log-mel features, and what wav2vec2 needs for a single frame


@probe(
    id="DAT020",
    stage=Stage.DATA,
    severity=Severity.ERROR,
    explains=("DAT003", "DAT030", "LAB018", "LOS*"),
    spoils_row=True,
)
def audio_is_too_short(waveforms: tuple[RowWaveform, ...], audio_limits: AudioLimits | None = None) -> Findings:
    """An audio clip is shorter than one feature window or than the configured minimum length."""
    least = (audio_limits.min_seconds or 0.0) if audio_limits else 0.0
    short = {h.row.where: h for h in reversed(waveforms) if h.wave.seconds < max(WINDOW, least) and h.wave.seconds > 0}
    for heard in worst_first((-h.wave.seconds, h) for h in short.values()):
        seconds = heard.wave.seconds
        bound = f"{WINDOW} s (one window)" if seconds < WINDOW else f"{least:g} s (data.min_duration)"
        yield row_finding(
            heard.row,
            f"{heard.name} lasts {seconds:.3f} s, expected at least {bound}",
            "remove the row from the manifest: `train prepare` removes such rows",
            None if seconds < WINDOW else Severity.WARNING,
            seconds=seconds,
        )
