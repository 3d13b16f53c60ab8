"""The names of columns: those of speech in other projects' manifests, and those of groups to split by."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from diagnose.common.errors import InputError
from trainer.data.table import FILE, LINE, ManifestTable, Row, quoted

if TYPE_CHECKING:
    from trainer.config.schema import Config

# Each of our columns with its names in Common Voice, LibriSpeech, NeMo, Hugging Face and others, the likeliest first.
USUAL_NAMES: dict[str, tuple[str, ...]] = {
    "audio_path": (
        *("audio_path", "audio_filepath", "path", "file_name", "audio", "audio_file", "filename", "file", "filepath"),
        *("wav", "wav_path", "wav_filename", "clip"),
    ),
    "transcript": (
        *("transcript", "sentence", "text", "transcription", "normalized_text", "raw_transcription"),
        *("transcripts", "label"),
    ),
    "translation": ("translation", "translation_text", "translated_text", "tgt_text", "target_text"),
    "duration": ("duration", "duration_seconds", "duration_s", "audio_duration", "seconds"),
}
TEXT_NAMES: dict[str, tuple[str, ...]] = {
    "document": ("document", "article", "text", "source", "dialogue", "input"),
    "summary": ("summary", "highlights", "abstract", "target", "output"),
}
SHORT_NAMES = {"audio": "audio_path", "transcript": "transcript", "translation": "translation", "duration": "duration"}
GROUPS = (
    *("video_id", "video", "recording_id", "recording", "session_id", "episode_id"),
    *("speaker_id", "client_id", "speaker", "spk_id", "reader_id"),
)


def configured_columns(config: "Config") -> dict[str, str | None] | None:
    """What read_rows needs to know of a configuration; None for the text task, whose columns have keys of their own."""
    if config.model.type == "mt5":
        return None
    return {ours: getattr(config.data.columns, short) for short, ours in SHORT_NAMES.items()}


def group_columns(columns: Iterable[str]) -> list[str]:
    """The columns that say which recording or speaker a row is of, the best one to split by first."""
    present = set(columns)
    return [name for name in GROUPS if name in present]


def usual_columns(columns: Sequence[str]) -> dict[str, str]:
    """Our columns that a manifest has under their own or another usual name."""
    lowered = {name.lower(): name for name in reversed(columns)}
    found: dict[str, str] = {}
    for ours, names in USUAL_NAMES.items():
        match = next((lowered[name] for name in names if name in lowered), None)
        if match is not None and match not in found.values():
            found[ours] = match
    return found


def rename_columns(table: ManifestTable, named: Mapping[str, str | None]) -> ManifestTable:
    """Speech columns under our names: by `named`, else as they are, else guessed from the usual names."""
    names = renamed_columns(table, named)
    if all(old == new for old, new in names.items()) and len(names) == len(table.columns):
        return table
    kept, ours = list(names), tuple(names.values())
    return ManifestTable(table.path, ours, [_renamed(row, kept, ours) for row in table.rows], table.line)


def renamed_columns(table: ManifestTable, named: Mapping[str, str | None]) -> dict[str, str]:
    """Each column that is kept, with its new name."""
    given = _named_columns(table, named)
    free = [name for name in table.columns if name not in given.values()]
    found = {**usual_columns(free), **given}
    theirs = {name: ours for ours, name in found.items()}
    return {name: theirs.get(name, name) for name in table.columns if name in theirs or name not in found}


def _named_columns(table: ManifestTable, named: Mapping[str, str | None]) -> dict[str, str]:
    """The columns that the configuration names; a file that train wrote has ours already."""
    given = {ours: name for ours, name in named.items() if name is not None}
    missing = [name for ours, name in given.items() if name not in table.columns and ours not in table.columns]
    if missing:
        raise InputError(
            f"{table.place}: no column {quoted(missing)}, which data.columns names, found {quoted(table.columns)}; "
            "correct data.columns"
        )
    return {ours: name for ours, name in given.items() if name in table.columns}


def _renamed(row: Row, kept: Sequence[str], names: Sequence[str]) -> Row:
    values = dict(zip(names, (row[name] for name in kept), strict=True))
    return {**values, FILE: row[FILE], LINE: row[LINE]}
