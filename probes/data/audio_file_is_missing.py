from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import AudioPresence
from probes.reporting.row_finding import row_finding


@probe(id="DAT001", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT003", "DAT022"), spoils_row=True)
def audio_file_is_missing(audio_presence: AudioPresence) -> Findings:
    """An audio file listed in the manifest does not exist."""
    looked, missing = audio_presence.looked, len(audio_presence.missing)
    for row in audio_presence.missing:
        yield row_finding(
            row,
            f"{row.audio} does not exist: {missing} of {looked} audio files are missing, expected none",
            "correct the paths or audio_root, or remove these rows from the manifest",
            missing=missing,
            rows=looked,
        )
