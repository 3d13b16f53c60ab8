from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import AudioFiles
from probes.reporting.row_finding import row_finding


@probe(id="DAT005", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT003", "DAT022"), spoils_row=True)
def audio_is_empty(audio_files: AudioFiles) -> Findings:
    """An audio file is empty: it has no bytes, or a header without samples."""
    for clip in audio_files.rows:
        if clip.problem == "empty":
            yield row_finding(
                clip.row,
                f"{clip.row.audio} is empty: {clip.detail}, expected samples",
                "export the clip again, or remove the row from the manifest",
                bytes=clip.row.size,
            )
