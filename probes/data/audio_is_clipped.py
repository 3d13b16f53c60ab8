from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import RowWaveform
from probes.reporting.row_finding import note_unless, row_finding, worst_first

SHARE = 1e-3  # of the samples; 1,500 clean clips of the demo have none at all in flat tops
LEVEL = 2.0**-9  # 64 steps of 16 bits: below, the steps themselves are flat tops
ROWS = 0.1  # of the rows: fewer do not change what is learnt, and are a note


@probe(id="DAT016", stage=Stage.DATA, severity=Severity.WARNING, spoils_row=True)
def audio_is_clipped(waveforms: tuple[RowWaveform, ...]) -> Findings:
    """Audio is clipped: the peaks of the waveform are cut off."""
    files = [heard for heard in waveforms if not heard.loaded] or list(waveforms)
    cut = [(h.wave.clipped_fraction, h) for h in files if h.wave.clipped_fraction > SHARE and h.wave.peak > LEVEL]
    for heard in worst_first(cut):
        yield row_finding(
            heard.row,
            f"{heard.wave.clipped_fraction:.1%} of the samples of {heard.name} are clipped at {heard.wave.peak:.2f}, "
            f"expected less than {SHARE:.1%}; {len(cut)} of {len(files)} clips exceed this",
            "use the original recording and lower the gain before writing integer samples",
            note_unless(len(cut) > ROWS * len(files)),
            flat=heard.wave.clipped_fraction,
            clips=len(cut),
        )
