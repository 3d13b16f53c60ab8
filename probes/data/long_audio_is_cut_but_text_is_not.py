from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import UsedAudio
from probes.reporting.row_finding import row_finding, worst_first

SLACK = 0.05  # seconds that nobody speaks in
LOST = 0.04  # of the clip: resampling and padding change less


@probe(id="DAT021", stage=Stage.DATA, severity=Severity.WARNING, spoils_row=True)
def long_audio_is_cut_but_text_is_not(audio_used: tuple[UsedAudio, ...]) -> Findings:
    """Long audio is truncated but its text is not, so labels contain words missing from the input."""
    cut = [(clip.seconds, clip) for clip in audio_used if clip.used < clip.seconds * (1 - LOST) - SLACK]
    for clip in worst_first(cut):
        yield row_finding(
            clip.row,
            f"{clip.row.audio} lasts {clip.seconds:.2f} s, but the model receives only the first {clip.used:.3g} s "
            "and the whole text",
            "cut the clip and its text together, or remove the row with `train prepare`",
            seconds=clip.seconds,
            kept=clip.used,
        )
