from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import RowWaveform
from probes.reporting.row_finding import note_unless, row_finding, worst_first

SHARE = 0.5  # of the rms: a fifth of all energy is then no sound; the demo's 1,500 clips have at most 0.08
LEVEL = 0.005  # of full scale: below, it is the rounding of quiet clips
ROWS = 0.1  # of the rows: fewer are a note


@probe(id="DAT017", stage=Stage.DATA, severity=Severity.WARNING, spoils_row=True)
def audio_has_dc_offset(waveforms: tuple[RowWaveform, ...]) -> Findings:
    """Audio has a DC offset: the mean of its samples is far from zero."""
    files = [heard for heard in waveforms if not heard.loaded] or list(waveforms)
    off = [(abs(h.wave.mean), h) for h in files if abs(h.wave.mean) > max(LEVEL, SHARE * h.wave.rms) and h.wave.rms > 0]
    for heard in worst_first(off):
        yield row_finding(
            heard.row,
            f"{heard.name} has a mean of {heard.wave.mean:+.3f} at an RMS of {heard.wave.rms:.3f}, expected about 0; "
            f"the same holds for {len(off)} of {len(files)} clips",
            "subtract the mean of each clip, or apply a 20 Hz high-pass filter",
            note_unless(len(off) > ROWS * len(files)),
            mean=heard.wave.mean,
            rms=heard.wave.rms,
        )
