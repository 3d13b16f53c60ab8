from statistics import median

from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import AudioLimits, LoadedItem
from probes.reporting.row_finding import row_finding

NEAR = 0.04  # half of the way between the two nearest usual rates, 44,100 and 48,000
LONG = 0.5  # seconds; in shorter clips an encoder's padding counts


@probe(id="DAT011", stage=Stage.DATA, severity=Severity.ERROR, explains=("DAT021", "DAT030", "DAT049", "DAT040"))
def sample_rate_differs_from_model(loaded_waveforms: tuple[LoadedItem, ...], audio_limits: AudioLimits) -> Findings:
    """Audio reaches the model at a sample rate other than the one it expects."""
    expected = audio_limits.sample_rate or 0
    for item in loaded_waveforms:
        if expected and item.rate and item.rate != expected:
            yield row_finding(
                item.row,
                f"the item has {item.rate:,} Hz, {audio_limits.source} expects {expected:,} Hz",
                f"resample to {expected:,} Hz in the dataset",
                rate=item.rate,
                expected=expected,
            )
    silent = [item for item in loaded_waveforms if item.rate in (None, expected) and (item.file_seconds or 0) > LONG]
    rates = [item.real_rate for item in silent if item.real_rate]
    if expected and rates and abs(median(rates) / expected - 1) > NEAR:
        item = min(silent, key=lambda item: abs((item.real_rate or 0) - median(rates)))
        yield row_finding(
            item.row,
            f"{item.row.audio} lasts {item.file_seconds:.2f} s and is loaded as {item.samples:,} samples, which is "
            f"{item.real_rate:,.0f} Hz; {audio_limits.source} expects {expected:,} Hz",
            f"resample to {expected:,} Hz when loading",
            rate=round(median(rates)),
            expected=expected,
        )
