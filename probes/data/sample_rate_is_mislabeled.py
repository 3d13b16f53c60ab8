from collections import Counter
from collections.abc import Iterator

from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import AudioFile, AudioFiles
from probes.reporting.row_finding import row_finding

USUAL = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000)
NEAR = 0.01  # of the rate; the nearest two usual ones differ by 8 %
ROWS = 3  # one clip may have a duration that fits another rate by chance, three hardly the same one


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
                f"{clip.row.audio} says {header:,} Hz, but its samples fill the {clip.row.seconds:g} s of the manifest "
                f"only at {true:,} Hz, as in {counts[header, true]} clips",
                f"write the files again with {true:,} Hz in the header, then resample",
                header=header,
                rate=true,
                clips=counts[header, true],
            )


def _rates(clip: AudioFile) -> Iterator[tuple[int, int]]:
    """The header's rate and the usual one that fits the manifest's duration, where they differ."""
    if clip.header and clip.row.seconds and not clip.problem:
        fits = clip.header.seconds * clip.header.rate / clip.row.seconds
        true = min(USUAL, key=lambda rate: abs(fits - rate))
        if true != clip.header.rate and abs(fits / true - 1) < NEAR:
            yield clip.header.rate, true
