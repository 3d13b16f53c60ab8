from statistics import median

from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import RowWaveform
from probes.reporting.row_finding import row_finding, worst_first

LOUD = 4.0  # of full scale; resampling and lossy decoding overshoot by less than a factor of 2
FAINT = 2.0**-13  # four steps of 16 bits, 78 dB below full scale: under the noise of any room


@probe(id="DAT015", stage=Stage.DATA, severity=Severity.WARNING, explains=("DAT018", "DAT047", "DAT049", "DAT051"))
def amplitude_scale_is_off(waveforms: tuple[RowWaveform, ...]) -> Findings:
    """Audio samples are not scaled to [-1, 1], as feature extractors expect."""
    for heard in worst_first((heard.wave.peak, heard) for heard in waveforms if heard.wave.peak > LOUD):
        yield row_finding(
            heard.row,
            f"{heard.name} peaks at {heard.wave.peak:,.0f}, expected at most 1",
            "divide integer samples by the largest value of their type (32,768 for 16 bits)",
            peak=heard.wave.peak,
        )
    for loaded in (False, True):
        peaks = [heard.wave.peak for heard in waveforms if heard.loaded is loaded and heard.wave.peak > 0]
        if peaks and median(peaks) < FAINT:
            first = next(heard for heard in waveforms if heard.loaded is loaded)
            yield row_finding(
                first.row,
                f"half of the {len(peaks)} clips {'in the dataset' if loaded else 'on disk'} peak below "
                f"{median(peaks):.1e}, expected about 0.1 to 1",
                "scale the samples once only: soundfile and torchaudio have done so already",
                peak=median(peaks),
            )
