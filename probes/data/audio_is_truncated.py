from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import AudioFiles
from probes.reporting.row_finding import row_finding


@probe(
    id="DAT006",
    stage=Stage.DATA,
    severity=Severity.ERROR,
    explains=("DAT003", "DAT022", "DAT009", "DAT030"),
    spoils_row=True,
)
def audio_is_truncated(audio_files: AudioFiles) -> Findings:
    """An audio file is truncated: it ends before the length given in its header."""
    for clip in audio_files.rows:
        if clip.problem == "truncated":
            yield row_finding(
                clip.row,
                f"{clip.row.audio} is truncated: {clip.detail}",
                "copy or export the file again, or remove the row from the manifest",
                bytes=clip.row.size,
                seconds=clip.wave.seconds if clip.wave else None,
            )
