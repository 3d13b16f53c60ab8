"""The rows of a source under our column names: which columns were taken, the task, the language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from diagnose.common.errors import InputError
from trainer.data.columns import SHORT_NAMES, TEXT_NAMES, rename_columns, usual_columns
from trainer.data.table import ManifestTable, Row, quoted

VIETNAMESE = frozenset("ăđơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ")
LANGUAGES = ("language", "locale", "lang")


@dataclass(frozen=True)
class NamedColumns:
    """Tables under our names, and the name that each of our columns has in the files."""

    tables: dict[str, ManifestTable]
    theirs: dict[str, str]
    texts: tuple[str, ...]

    @property
    def task(self) -> str:
        if len(self.texts) == 2:
            return "both"
        return "translate" if self.texts == ("translation",) else "transcribe"


def name_speech(tables: Mapping[str, ManifestTable], named: Mapping[str, str | None]) -> NamedColumns:
    """Refuses tables without audio or without texts."""
    first = next(iter(tables.values()))
    renamed = {split: rename_columns(table, named) for split, table in tables.items()}
    for split, table in renamed.items():
        own = quoted(tables[split].columns)
        if "audio_path" not in table.columns:
            raise InputError(
                f"{table.place}: no column of audio paths, found {own}, expected audio_path, audio_filepath, path or "
                "file_name; name it with --column audio=NAME"
            )
        if not {"transcript", "translation"} & set(table.columns):
            raise InputError(
                f"{table.place}: no column of texts, found {own}, expected transcript, sentence or text; "
                "name it with --column transcript=NAME"
            )
    columns = set.intersection(*(set(table.columns) for table in renamed.values()))
    texts = tuple(name for name in ("transcript", "translation") if name in columns)
    given = {ours: name for ours, name in named.items() if name is not None}
    theirs = {**usual_columns([name for name in first.columns if name not in given.values()]), **given}
    return NamedColumns(renamed, {ours: theirs[ours] for ours in SHORT_NAMES.values() if ours in theirs}, texts)


def name_documents(tables: Mapping[str, ManifestTable]) -> tuple[str, str] | None:
    """The columns of documents and summaries; None if there are none."""
    columns = next(iter(tables.values())).columns
    lowered = {name.lower(): name for name in columns}
    found = [next((lowered[name] for name in names if name in lowered), None) for names in TEXT_NAMES.values()]
    return (found[0], found[1]) if found[0] and found[1] else None


def language_of(rows: Sequence[Row], texts: Sequence[str]) -> str:
    """By a column that says so, else by Vietnamese letters, else English."""
    for name in LANGUAGES:
        if rows[0].get(name, "").strip():
            return rows[0][name].strip().lower()[:2]
    letters = set("".join(row[name] for row in rows[:1000] for name in texts).lower())
    return "vi" if len(letters & VIETNAMESE) >= 3 else "en"
