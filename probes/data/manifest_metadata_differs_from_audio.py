from collections.abc import Iterator

from diagnose import Findings, Severity, Stage, probe
from probes.facts.audio.types import AudioFile, AudioFiles
from probes.reporting.row_finding import row_finding

COLUMNS = {
    "sample_rate": ("sample_rate", "sampling_rate", "sr"),
    "channels": ("channels", "num_channels", "n_channels"),
}


@probe(id="DAT014", stage=Stage.DATA, severity=Severity.WARNING)
def manifest_metadata_differs_from_audio(audio_files_with_metadata: AudioFiles) -> Findings:
    """The sample rate or channel count in the manifest differs from the audio file."""
    for clip in audio_files_with_metadata.rows:
        for what, said, is_ in _differences(clip):
            yield row_finding(
                clip.row,
                f"the manifest gives {what} {said}, the header of {clip.row.audio} gives {is_}",
                "regenerate the manifest from these files, or restore the files it was made from",
                said=said,
                header=is_,
            )


def _differences(clip: AudioFile) -> Iterator[tuple[str, str, int]]:
    for what, names in COLUMNS.items():
        said = next((clip.row.tags[name].strip() for name in names if name in clip.row.tags), "")
        if clip.header and said:
            is_ = clip.header.rate if what == "sample_rate" else clip.header.channels
            try:
                wrong = float(said) != is_
            except ValueError:
                wrong = False  # "mono", "16 kHz": no number to compare
            if wrong:
                yield what.replace("_", " "), said, is_
