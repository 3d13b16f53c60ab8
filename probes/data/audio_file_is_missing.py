from diagnose import Findings, Severity, Stage, probe
from probes.facts.corpus.types import CorpusRow
from probes.reporting.row_finding import row_finding


@probe(id="DAT001", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT003", "DAT022"), spoils_row=True)
def audio_file_is_missing(audio_rows: tuple[CorpusRow, ...]) -> Findings:
    """An audio file listed in the manifest does not exist."""
    looked = [row for row in audio_rows if row.path is not None]
    missing = [row for row in looked if row.size is None]
    for row in missing:
        yield row_finding(
            row,
            f"{row.audio} does not exist: {len(missing)} of {len(looked)} audio files are missing, expected none",
            "correct the paths or audio_root, or remove these rows from the manifest",
            missing=len(missing),
            rows=len(looked),
        )
