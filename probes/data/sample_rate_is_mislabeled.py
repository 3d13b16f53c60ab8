from collections import Counter
from collections.abc import Iterator

from diagnose import Findings, Severity, Stage, probe
from diagnose.common.sample_rates import ROWS, rate_by_duration
from probes.facts.audio.types import AudioFile, AudioFiles
from probes.reporting.row_finding import row_finding


@probe(
    id="DAT010", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT009", "DAT030", "DAT040", "DAT021", "DAT051")
)
def sample_rate_is_mislabeled(audio_files_with_duration: AudioFiles) -> Findings:
    """Audio headers give a wrong sample rate, so clips play too fast or too slow."""
    found = [(clip, header, true) for clip in audio_files_with_duration.rows for header, true in _rates(clip)]
    counts = Counter((header, true) for _, header, true in found)
    for clip, header, true in found:
        if counts[header, true] >= ROWS:
            yield row_finding(
                clip.row,
                f"the header of {clip.row.audio} gives {header:,} Hz, but its samples match the {clip.row.seconds:g} "
                f"s of the manifest only at {true:,} Hz; {counts[header, true]} clips are affected",
                f"write the files again with {true:,} Hz in the header, then resample",
                header=header,
                rate=true,
                clips=counts[header, true],
            )


def _rates(clip: AudioFile) -> Iterator[tuple[int, int]]:
    """The header's rate and the usual one that fits the manifest's duration, where they differ."""
    if clip.header and clip.row.seconds and not clip.problem:
        rate = rate_by_duration(clip.header.rate, clip.header.seconds, clip.row.seconds)
        if rate:
            yield clip.header.rate, rate
