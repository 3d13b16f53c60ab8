from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.measured.audio import AudioLimits, Clips, Loaded
from probes.measured.corpus import CorpusRow
from probes.placing import at, worst_first

SLACK = 0.05  # seconds that nobody speaks in
LOST = 0.04  # of the clip: resampling and padding change less


@probe(id="DAT021", stage=Stage.DATA, severity=Severity.WARNING)
def audio_is_cut_but_text_is_not(
    clips: Clips, audio_limits: AudioLimits | None = None, loaded_clips: tuple[Loaded, ...] = ()
) -> Iterator[Finding]:
    """A clip is longer than what reaches the model: its end is cut, its text is not, and teaches words never heard."""
    long: dict[str, tuple[CorpusRow, float, float]] = {}
    for item in loaded_clips:
        kept = item.samples / item.rate if item.rate else None
        if kept and item.file_seconds and kept < item.file_seconds * (1 - LOST) - SLACK:
            long[item.row.where] = (item.row, item.file_seconds, kept)
    most = audio_limits.max_seconds if audio_limits else None
    for clip in clips.rows:
        if most and clip.header and clip.header.seconds > most + SLACK:
            long[clip.row.where] = (clip.row, clip.header.seconds, most)
    for row, seconds, kept in worst_first((pair[1], pair) for pair in long.values()):
        yield at(
            row,
            f"{row.audio} lasts {seconds:.2f} s and {kept:g} s of it reach the model, with the whole text",
            "cut the clip and its text together, or take the row out: `train prepare` removes such rows",
            seconds=seconds,
            kept=kept,
        )
