from statistics import median

from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import RowWaveform
from probes.reporting.row_finding import row_finding, worst_first

LOUD = 4.0  # of full scale; resampling and lossy decoding overshoot by less than a factor of 2
UNIT = 0.05  # from mean 0 and deviation 1, as an extractor normalises; a tenth of padding moves the deviation so far
SAME = 1e-2  # of the spread of the model's input: an extractor that normalises, or a collator that scales, leaves less
FAINT = 2.0**-13  # four steps of 16 bits, 78 dB below full scale: under the noise of any room


@probe(
    id="DAT015",
    stage=Stage.DATA,
    severity=Severity.ERROR,
    explains=("DAT018", "DAT047", "DAT049", "DAT051"),
    spoils_row=True,
)
def amplitude_scale_is_off(waveforms: tuple[RowWaveform, ...], scale_change: float | None = None) -> Findings:
    """Audio samples are not scaled to [-1, 1], as feature extractors expect."""
    for heard in worst_first((heard.wave.peak, heard) for heard in waveforms if _is_loud(heard)):
        yield row_finding(
            heard.row,
            f"{heard.name} peaks at {heard.wave.peak:,.0f}, expected at most 1",
            "divide integer samples by the maximum of their dtype (32768 for int16)",
            _severity(heard, scale_change),
            peak=heard.wave.peak,
        )
    for loaded in (False, True):
        peaks = [heard.wave.peak for heard in waveforms if heard.loaded is loaded and heard.wave.peak > 0]
        if peaks and median(peaks) < FAINT:
            first = next(heard for heard in waveforms if heard.loaded is loaded)
            yield row_finding(
                first.row,
                f"the median peak of {len(peaks)} clips {'in the dataset' if loaded else 'on disk'} is "
                f"{median(peaks):.1e}, expected about 0.1 to 1",
                "scale the samples only once: soundfile and torchaudio already return [-1, 1]",
                Severity.WARNING,
                peak=median(peaks),
            )


def _is_loud(heard: RowWaveform) -> bool:
    """Samples of mean 0 and deviation 1 are normalized on purpose; their peaks are at 4 to 10."""
    wave = heard.wave
    normalized = heard.loaded and abs(wave.mean) < UNIT and abs(wave.rms - 1) < UNIT
    return wave.peak > LOUD and not normalized


def _severity(heard: RowWaveform, scale_change: float | None) -> Severity | None:
    """An error where the model's input was seen to depend on the scale; a note where it was seen not to."""
    if not heard.loaded or scale_change is None:
        return Severity.WARNING
    return None if scale_change > SAME else Severity.NOTE
