from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.measured.data import ManifestRow


@probe(id="DAT001", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT003",))
def audio_file_is_missing(audio_rows: tuple[ManifestRow, ...]) -> Iterator[Finding]:
    """A row of the manifest names an audio file that is not there."""
    missing = [row for row in audio_rows if not row.audio_found]
    if missing:
        names = "; ".join(f"{row.audio} ({row.where})" for row in missing[:5])
        yield Finding(
            where=missing[0].where,
            message=f"{len(missing)} of {len(audio_rows)} audio files are missing, expected all: {names}",
            fix="correct the paths or audio_root, or take these rows out of the manifest",
            measured={"missing": len(missing), "rows": len(audio_rows)},
            file=missing[0].file,
            line=missing[0].line,
        )
