from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.environment.types import ItemReading


@probe(id="ENV004", stage=Stage.ENVIRONMENT, severity=Severity.ERROR, explains=("DAT003", "DAT022"))
def decoder_is_missing(reading: ItemReading) -> Iterator[Finding]:
    """No item can be read though its file is sound: what the dataset decodes with is not there or does not work."""
    if reading.read:
        return
    file, _, line = reading.line.rpartition(":")
    other = f"; another reader decodes {reading.file}" if reading.file else ""
    yield Finding(
        where=reading.where,
        message=f"{reading.tried} of {reading.tried} items that were tried raised {reading.error}{other}",
        fix="install what the error names, or read audio with soundfile, which brings its decoders along",
        measured={"tried": reading.tried, "read": reading.read, "file": reading.file},
        file=file or None,
        line=int(line) if line.isdigit() else None,
    )
