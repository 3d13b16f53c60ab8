"""Audio files that a dataset refuses to read because they are not finite: no step can be made with them."""

from collections.abc import Sequence
from typing import Any

from probes.facts.audio.decode_files import decode_row
from probes.facts.audio.types import AudioFile
from probes.facts.core.types import TensorSummary
from probes.facts.corpus.manifest_rows import read_rows
from probes.facts.nonfinite.types import Origin


def refused_for_bad_samples(rows: Any, root: Any, indices: Sequence[int], precision: str) -> Origin | None:
    """The files of one batch that could not be drawn; None where none of them holds a bad sample."""
    if not isinstance(rows, list):
        return None
    clips = [decode_row(row) for row in read_rows([rows[index] for index in indices], root, "train")]
    bad = {place: clip for place, clip in enumerate(clips) if clip.wave is not None and clip.wave.not_finite}
    if not bad:
        return None
    first = next(iter(bad.values()))
    return Origin(
        phase="data",
        operation="",
        cause="data",
        module=first.row.audio,
        kind="audio file",
        values=tuple(map(_values, bad.values())),
        observed_in=f"the sample at {first.wave.bad_second or 0:.3f} s" if first.wave else "",
        precision=precision,
        rows=tuple(bad),
        files=tuple(clip.row.audio for clip in bad.values()),
    )


def _values(clip: AudioFile) -> TensorSummary:
    wave = clip.wave
    assert wave is not None
    bad = wave.not_finite / max(1, wave.shape[0])
    return TensorSummary("samples", wave.shape, wave.dtype, "disk", -wave.peak, wave.peak, nan=bad)
