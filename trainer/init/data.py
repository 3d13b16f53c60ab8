"""From a source to the rows of each split, with what was found and what was guessed."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from diagnose.common.errors import InputError
from trainer.data.split import split_rows
from trainer.data.table import Row
from trainer.init.choices import DataSummary
from trainer.init.measure import MeasuredRows, audio_root, measure
from trainer.init.source import ALL, DataSource
from trainer.init.speech_rows import NamedColumns, language_of, name_documents, name_speech

SEED = 42  # of `train split`, so that it makes the same splits again


@dataclass(frozen=True)
class PreparedData:
    """Rows by split, the summary, the keys of the configuration that describe the data, and lines to print."""

    splits: dict[str, list[Row]]
    summary: DataSummary
    root: Path
    settings: dict[str, tuple[object, str]]
    lines: dict[str, str]


def prepare_speech(source: DataSource, directory: Path, named: Mapping[str, str | None], language: str) -> PreparedData:
    columns = name_speech(source.tables, named)
    every = [row for table in columns.tables.values() for row in table.rows]
    folder = source.path if source.path.is_dir() else source.path.parent
    root = directory if source.exported else audio_root(every, [folder, directory])
    measured = {split: measure(table.rows, root, columns.texts) for split, table in columns.tables.items()}
    splits, group, reason = _split({split: found.rows for split, found in measured.items()}, source.path)
    seconds = [length for found in measured.values() for length in found.seconds]
    rows = [row for part in splits.values() for row in part]
    code = language or language_of(rows, columns.texts)
    summary = _summary(splits, columns.texts, columns.task, code, group, seconds)
    texts = f"texts of up to {summary.longest_text} characters"
    clips = f"{_duration(summary.seconds)} in clips of {min(seconds):.1f} to {max(seconds):.1f} s"
    lines = {
        "data": f"{source.path}, {len(every):,} rows, {clips}, {texts}; audio paths are relative to {root}",
        "columns": _columns(columns, named),
        **_left_out(measured.values()),
        "split": _sizes(splits, reason),
    }
    return PreparedData(splits, summary, root, _column_settings(columns, summary.group), lines)


def prepare_documents(source: DataSource) -> PreparedData:
    names = name_documents(source.tables)
    if names is None:
        first = next(iter(source.tables.values()))
        first.require(("document", "summary"))
    document, summary_name = names or ("document", "summary")
    every = [row for table in source.tables.values() for row in table.rows]
    kept = {
        split: [row for row in table.rows if row[document].strip() and row[summary_name].strip()]
        for split, table in source.tables.items()
    }
    splits, group, reason = _split(kept, source.path)
    rows = [row for part in splits.values() for row in part]
    summary = _summary(splits, (summary_name,), "summarize", "", group, [])
    empty = len(every) - len(rows)
    lines = {
        "data": f"{source.path}, {len(every):,} rows, summaries of up to {summary.longest_text} characters",
        "columns": f"document = {document!r}, summary = {summary_name!r}",
        **({"left out": f"{empty} with an empty text"} if empty else {}),
        "split": _sizes(splits, reason),
    }
    settings = {"data.document_column": (document, ""), "data.summary_column": (summary_name, "")}
    return PreparedData(splits, summary, source.path.parent, {**settings, **_group_setting(group)}, lines)


def _split(parts: dict[str, list[Row]], path: Path) -> tuple[dict[str, list[Row]], str | None, str]:
    """The splits as they are, else new ones; the column that was split by, and the reason."""
    rows = [row for part in parts.values() for row in part]
    if not rows or not all(parts.values()):
        raise InputError(f"{path}: no row is left, expected clips of 0.1 to 30 s with texts; add some")
    if ALL not in parts:
        return parts, None, f"as the files {', '.join(parts)} are"
    made, groups = split_rows(rows, path, None, SEED)
    return made, None if groups.column == "row" else groups.column, groups.reason


def _summary(
    splits: Mapping[str, Sequence[Row]],
    names: Sequence[str],
    task: str,
    language: str,
    group: str | None,
    seconds: Sequence[float],
) -> DataSummary:
    texts = [row[name] for part in splits.values() for row in part for name in names]
    return DataSummary(
        rows=sum(map(len, splits.values())),
        train_rows=len(splits["train"]),
        dev_rows=len(splits["dev"]),
        seconds=sum(seconds),
        longest=max(seconds, default=0.0),
        longest_text=max(map(len, texts)),
        longest_bytes=max(len(text.encode()) for text in texts),
        characters=sum(map(len, texts)),
        task=task,
        language=language,
        group=group,
    )


def _columns(columns: NamedColumns, named: Mapping[str, str | None]) -> str:
    parts = [f"{ours} = {name!r}" for ours, name in columns.theirs.items()]
    guessed = any(name != ours and named.get(ours) is None for ours, name in columns.theirs.items())
    return ", ".join(parts) + (" (guessed from the usual names)" if guessed else "")


def _column_settings(columns: NamedColumns, group: str | None) -> dict[str, tuple[object, str]]:
    short = {"audio_path": "audio"}
    renamed = {ours: name for ours, name in columns.theirs.items() if ours != name}
    named = {f"data.columns.{short.get(ours, ours)}": (name, "") for ours, name in renamed.items()}
    return {**named, **_group_setting(group)}


def _group_setting(group: str | None) -> dict[str, tuple[object, str]]:
    comment = "nothing of one is in two splits" if group else "no column names a video or a speaker: split by row"
    return {"data.group_column": (group, comment)}


def _left_out(measured: Iterable[MeasuredRows]) -> dict[str, str]:
    reasons: dict[str, list[str]] = {}
    for found in measured:
        for reason, places in found.left_out.items():
            reasons.setdefault(reason, []).extend(places)
    parts = [f"{len(places)} with {reason} (first: {places[0]})" for reason, places in reasons.items()]
    return {"left out": ", ".join(parts)} if parts else {}


def _sizes(splits: Mapping[str, Sequence[Row]], reason: str) -> str:
    return ", ".join(f"{name} {len(rows):,}" for name, rows in splits.items()) + f" rows; {reason}"


def _duration(seconds: float) -> str:
    return f"{seconds / 3600:.1f} hours" if seconds >= 3600 else f"{seconds / 60:.1f} minutes"
