from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.types import FramesUsed

SLIGHT = 0.02  # and more than one frame: formulas for the length after subsampling are often one short
MUCH = 0.1


@probe(id="LOS014", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LAB018", "LRN*", "GEN*"))
def encoder_frames_are_masked_out(encoder_frames: tuple[FramesUsed, ...]) -> Findings:
    """Valid encoder frames are masked out: the mask is shorter than the encoder output."""
    for reader in sorted({one.reader for one in encoder_frames}):
        worst = max((one for one in encoder_frames if one.reader == reader), key=lambda one: one.frames - one.used)
        lost = worst.frames - worst.used
        if lost > 1 and lost > SLIGHT * worst.frames:
            yield Finding(
                where=worst.module,
                message=f"encoder_out: {worst.frames} frames for a row without padding, mask_sum: {worst.used}, "
                f"expected {worst.frames}: {reader} does not receive the last {lost}",
                fix="compute the mask length with the same strides and padding as the encoder's subsampling",
                measured={"frames": worst.frames, "mask_sum": worst.used, "lost": lost},
                severity=None if lost > MUCH * worst.frames else Severity.WARNING,
            )
