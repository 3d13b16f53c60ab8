from diagnose import Findings, Severity, Stage, probe
from probes.facts.environment.types import ItemReading
from probes.reporting.code_finding import code_finding


@probe(id="ENV004", stage=Stage.ENVIRONMENT, severity=Severity.ERROR, explains=("DAT003", "DAT022"))
def audio_decoder_is_missing(item_reading: ItemReading) -> Findings:
    """The audio decoder of the dataset is missing or broken, so no item can be loaded."""
    if item_reading.read:
        return
    other = f"; another reader decodes {item_reading.file}" if item_reading.file else ""
    yield code_finding(
        item_reading.line,
        item_reading.where,
        f"{item_reading.tried} of {item_reading.tried} items read raise {item_reading.error}{other}",
        "install the package that the error names, or read audio with soundfile, which bundles its decoders",
        tried=item_reading.tried,
        read=item_reading.read,
        file=item_reading.file,
    )
