from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.audio.types import Clips
from probes.reporting.row_finding import at

CURES = {
    "unreadable": "convert it to WAV or FLAC, or take the row out of the manifest",
    "outside": "move the file below audio_root, or set audio_root higher",
}


@probe(id="DAT007", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT003", "DAT022"))
def audio_is_unreadable(clips: Clips) -> Iterator[Finding]:
    """A file that a row names as its audio cannot be decoded as audio."""
    for clip in clips.rows:
        if clip.problem in CURES:
            yield at(
                clip.row,
                f"{clip.row.audio} cannot be decoded: {clip.detail}",
                CURES[clip.problem],
                bytes=clip.row.size,
            )
