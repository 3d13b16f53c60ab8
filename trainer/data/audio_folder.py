"""A folder of audio files next to texts of the same name, or beside LibriSpeech's *.trans.txt."""

from collections.abc import Iterator
from pathlib import Path

from diagnose.common.errors import InputError
from trainer.data.table import FILE, LINE, ManifestTable, Row
from trainer.data.text_files import read_text

AUDIO = (".wav", ".flac", ".ogg", ".opus", ".mp3")
COLUMNS = ("audio_path", "transcript")
SPEAKER = "speaker_id"


def audio_files(folder: Path) -> list[Path]:
    """The audio files beneath a folder, in the order of their paths; hidden ones are left out."""
    found = (path for path in folder.rglob("*") if path.suffix.lower() in AUDIO and path.is_file())
    return sorted(path for path in found if not any(part.startswith(".") for part in path.relative_to(folder).parts))


def read_audio_folder(folder: Path) -> ManifestTable:
    """One row for each audio file; paths are relative to the folder."""
    if (folder / "dataset_info.json").is_file() or (folder / "dataset_dict.json").is_file():
        raise InputError(
            f"{folder}: found a folder with a Hugging Face dataset, expected a manifest file; "
            f"run `train init --manifest {folder}`, which writes its clips and a manifest"
        )
    clips = audio_files(folder)
    if not clips:
        names = ", ".join(AUDIO)
        raise InputError(f"{folder}: found a folder without audio files ({names}); name the manifest file inside it")
    if any(folder.rglob("*.trans.txt")):
        return _librispeech(folder, clips)
    silent = [clip for clip in clips if not clip.with_suffix(".txt").is_file()]
    if silent:
        raise InputError(
            f"{folder}: {len(silent)} of {len(clips)} audio files have no text next to them, the first is "
            f"{silent[0].relative_to(folder)}, expected {silent[0].with_suffix('.txt').name}; "
            "add the texts, or name a manifest"
        )
    rows = [_row(folder, clip, read_text(clip.with_suffix(".txt")), clip.with_suffix(".txt"), 1) for clip in clips]
    return ManifestTable(folder, COLUMNS, rows)


def read_librispeech_texts(path: Path) -> ManifestTable:
    """The rows of one *.trans.txt; paths are relative to its folder."""
    return _librispeech(path.parent, audio_files(path.parent), [path])


def _librispeech(folder: Path, clips: list[Path], texts: list[Path] | None = None) -> ManifestTable:
    """One row for each line `ID TEXT` of the texts; the speaker is what stands before the first hyphen of the ID."""
    by_name = {(clip.parent, clip.stem): clip for clip in clips}
    rows = []
    for path in sorted(folder.rglob("*.trans.txt")) if texts is None else texts:
        for line, name, text in _transcripts(path):
            clip = by_name.get((path.parent, name))
            if clip is None:
                raise InputError(
                    f"{path}, line {line}: found the id {name!r}, expected an audio file of that name next to it; "
                    "copy the file or remove the line"
                )
            rows.append({**_row(folder, clip, text, path, line), SPEAKER: name.partition("-")[0]})
    if not rows:
        raise InputError(f"{folder}: found *.trans.txt without a line `ID TEXT`; add the transcripts")
    return ManifestTable(folder, (*COLUMNS, SPEAKER), rows)


def _transcripts(path: Path) -> Iterator[tuple[int, str, str]]:
    for line, text in enumerate(read_text(path).splitlines(), 1):
        name, _, transcript = text.strip().partition(" ")
        if name:
            yield line, name, transcript


def _row(folder: Path, clip: Path, text: str, source: Path, line: int) -> Row:
    values = (clip.relative_to(folder).as_posix(), " ".join(text.split()))
    return {**dict(zip(COLUMNS, values, strict=True)), FILE: str(source), LINE: str(line)}
