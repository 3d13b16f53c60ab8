from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import LoadedItem
from probes.reporting.row_finding import row_finding


@probe(id="DAT012", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT003", "DAT049", "LOS003"))
def waveform_is_not_1d(loaded_waveforms: tuple[LoadedItem, ...]) -> Findings:
    """The waveform is not 1-D, so feature extractors treat its first dimension as a batch."""
    for item in loaded_waveforms:
        if item.wave and len(item.wave.shape) > 1:
            yield row_finding(
                item.row,
                f"the waveform has the shape {list(item.wave.shape)}, expected 1-D: a feature extractor treats the "
                "first dimension as the batch",
                "average the channels in the dataset, or call squeeze(0) on a single channel",
                axes=len(item.wave.shape),
            )
