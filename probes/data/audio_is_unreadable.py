from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import AudioFiles
from probes.reporting.row_finding import row_finding

FIXES = {
    "unreadable": "convert it to WAV or FLAC, or remove the row from the manifest",
    "outside": "move the file into audio_root, or set audio_root to a parent folder",
}


@probe(id="DAT007", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT003", "DAT022"), spoils_row=True)
def audio_is_unreadable(audio_files: AudioFiles) -> Findings:
    """An audio file listed in the manifest cannot be decoded as audio."""
    for clip in audio_files.rows:
        if clip.problem in FIXES:
            yield row_finding(
                clip.row, f"{clip.row.audio} cannot be decoded: {clip.detail}", FIXES[clip.problem], bytes=clip.row.size
            )
