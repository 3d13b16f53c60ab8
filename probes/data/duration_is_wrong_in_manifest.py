from collections.abc import Iterator

from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import AudioFile, AudioFiles
from probes.reporting.row_finding import row_finding, worst_first

READERS = 0.02  # seconds in which tools that round, trim or count whole frames may differ
LOSSY = 0.15  # encoders of MP3 and Ogg add up to 2 x 1152 samples of padding: 0.144 s at 16 kHz


@probe(id="DAT009", stage=Stage.DATA, severity=Severity.WARNING, explains=("DAT040",))
def duration_is_wrong_in_manifest(audio_files_with_duration: AudioFiles) -> Findings:
    """The manifest gives a wrong audio duration, which misleads filters, limits and batching."""
    off = [(abs(said - is_), (clip, said, is_)) for clip in audio_files_with_duration.rows for said, is_ in _pair(clip)]
    for clip, said, is_ in worst_first(off):
        unit = " (it looks like milliseconds)" if 900 < said / is_ < 1100 else ""
        yield row_finding(
            clip.row,
            f"the manifest gives {said:g} s{unit}, {clip.row.audio} lasts {is_:.3f} s",
            "write the durations from the audio headers, once the sample rates in them are right (DAT010)",
            said=said,
            measured=is_,
        )


def _pair(clip: AudioFile) -> Iterator[tuple[float, float]]:
    """What is said and what is, where they differ by more than rounding to the decimals of the manifest explains."""
    said, header = clip.row.seconds, clip.header
    if said is None or header is None or header.seconds <= 0 or clip.problem:
        return
    slack = 10.0**-clip.row.decimals + (LOSSY if header.lossy else READERS)
    if abs(said - header.seconds) > slack:
        yield said, header.seconds
