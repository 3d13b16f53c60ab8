"""The rows of training and evaluation set, and which of them are looked at closely."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.core.require import require
from probes.facts.corpus.types import BlankTexts, ClipLengths, Columns, Corpus, CorpusRow, UsualText

Rows = Sequence[Mapping[str, Any]]
CLOSELY = 256  # rows of the training set; decoding them takes a second or two
DRAWN = 400  # of a chart some 600 pixels wide
PART = 2  # of the evaluation set, one for every two of these


@provider
def data_sample_size() -> int:
    """How many rows are decoded and read closely; `diagnose data` gives "whole" in its place."""
    return CLOSELY


@provider
def train_manifest(train_rows: Rows, audio_root: str | Path | None = None, needed_columns: Any = ()) -> Corpus:
    return _corpus(train_rows, audio_root, "train", needed_columns)


@provider
def eval_manifest(eval_rows: Rows, audio_root: str | Path | None = None, needed_columns: Any = ()) -> Corpus:
    return _corpus(eval_rows, audio_root, "eval", needed_columns)


@provider(priority=1)
def train_corpus(train_manifest: Corpus) -> Corpus:
    """The manifest's rows; where there is none, those that are made of the dataset's items."""
    return train_manifest


@provider(priority=1)
def eval_corpus(eval_manifest: Corpus) -> Corpus:
    return eval_manifest


@provider
def corpus_rows(train_corpus: Corpus, eval_corpus: Corpus | None = None) -> Sequence[CorpusRow]:
    """All rows, of both splits."""
    from probes.facts.corpus.row_table import JoinedRows

    return JoinedRows([train_corpus.rows, eval_corpus.rows if eval_corpus else ()])


@provider(may_be_empty=True)
def blank_texts(corpus_rows: Sequence[CorpusRow]) -> tuple[BlankTexts, ...]:
    """Rows without a text where there should be one."""
    from probes.facts.corpus.text_columns import blank_texts

    return tuple(blank_texts(corpus_rows))


@provider(may_be_empty=True)
def usual_texts(corpus_rows: Sequence[CorpusRow]) -> tuple[UsualText, ...]:
    """The most frequent text of each column."""
    from probes.facts.corpus.text_columns import usual_texts

    return tuple(usual_texts(corpus_rows))


@provider
def audio_rows(corpus_rows: Sequence[CorpusRow]) -> Sequence[CorpusRow]:
    """The rows that name an audio file which can be looked for."""
    from probes.facts.corpus.row_table import with_audio

    named = with_audio(corpus_rows)
    require(len(named), "the rows have no audio file")
    require(any(row.path for row in named), "the audio paths are relative: pass audio_root")
    return named


@provider
def sampled_rows(
    train_corpus: Corpus, data_sample_size: int | str = CLOSELY, eval_corpus: Corpus | None = None
) -> Corpus:
    """The rows to look at closely, of both splits."""
    from probes.facts.corpus.row_sample import choose
    from probes.facts.corpus.row_table import JoinedRows

    total = train_corpus.total + (eval_corpus.total if eval_corpus else 0)
    if data_sample_size == "whole":
        return Corpus(JoinedRows([train_corpus.rows, eval_corpus.rows if eval_corpus else ()]), total)
    count = int(data_sample_size)
    rows = [train_corpus.rows[number] for number in choose(train_corpus.rows, count)]
    if eval_corpus:
        rows += [eval_corpus.rows[number] for number in choose(eval_corpus.rows, max(1, count // PART))]
    return Corpus(tuple(rows), total)


@provider
def columns(train_rows: Rows, eval_rows: Rows = (), needed_columns: Any = ()) -> Columns:
    """Which columns the rows of each split have."""
    from probes.facts.corpus.manifest_rows import is_table

    splits = {"train": train_rows, "eval": eval_rows}
    counts: dict[str, dict[str, int]] = {}
    for split, rows in splits.items():
        if is_table(rows):
            counts[split] = dict.fromkeys(rows.frame.columns, len(rows))  # type: ignore[attr-defined]
            continue
        for row in rows:
            own = counts.setdefault(split, {})
            for name in row:
                own[str(name)] = own.get(str(name), 0) + 1
    sizes = {split: len(rows) for split, rows in splits.items() if len(rows)}
    return Columns(counts, sizes, tuple(needed_columns))


def _corpus(rows: Rows, root: str | Path | None, split: str, texts: Any) -> Corpus:
    from probes.facts.corpus.manifest_rows import AUDIO, RowTable, is_table, read_rows

    wanted = [name for name in texts if name not in AUDIO]
    if is_table(rows):
        return Corpus(RowTable(rows, root, split, wanted), len(rows))
    if not all(isinstance(row, Mapping) for row in rows):
        odd = next(row for row in rows if not isinstance(row, Mapping))
        raise NotApplicable(f"the {split} rows are not dicts: one of them is a {type(odd).__name__}")
    read = read_rows(rows, root, split, wanted)
    return Corpus(read, len(read))


@provider(reported=True)
def clip_lengths(train_corpus: Corpus) -> ClipLengths:
    """Seconds and characters of rows, the extremes among them."""
    from probes.facts.corpus.row_sample import choose

    rows = [row for row in train_corpus.rows if row.seconds and row.texts]
    require(rows, "the rows have no durations with texts")
    kept = [rows[number] for number in choose(rows, DRAWN)]
    return ClipLengths(
        tuple((row.where, row.seconds or 0.0, len(next(iter(row.texts.values())))) for row in kept), len(rows)
    )
