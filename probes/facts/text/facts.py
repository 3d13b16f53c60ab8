"""The texts of the sampled rows: read closely, read by the tokenizer, and against their seconds."""

from functools import partial
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.audio.file_record import FileRecords
from probes.facts.audio.types import AudioFiles
from probes.facts.core.require import require
from probes.facts.corpus.types import Corpus
from probes.facts.labels.types import CtcRow, LabelRow
from probes.facts.text.types import SpeakingRates, TextChecks, TextStyle, UnknownTokenShares

LEAST = 20  # texts of each side

TEXTS = 256  # read by the tokenizer, three times each


@provider
def text_checks(sampled_rows: Corpus, tokenizer: Any = None) -> TextChecks:
    """Of a table, only texts with a character that could mean something are read one by one."""
    from probes.facts.core.tokens import text_ids
    from probes.facts.text.candidates import check_texts

    require(any(row.texts for row in sampled_rows.rows), "the rows have no text under a known key")
    known = getattr(tokenizer, "get_added_vocab", None)
    tokens = frozenset(known()) if known else frozenset()
    return check_texts(sampled_rows.rows, partial(text_ids, tokenizer) if callable(tokenizer) else None, tokens)


@provider
def unknown_token_shares(
    tokenizer: Any,
    sampled_rows: Corpus | None = None,
    needed_columns: Any = (),
    label_rows: tuple[LabelRow, ...] = (),
    decoder_rows: tuple[LabelRow, ...] = (),
    ctc_rows: tuple[CtcRow, ...] = (),
) -> UnknownTokenShares:
    """Of texts that become labels or inputs of tokens; of rows that were tokenized before, of their labels."""
    from probes.facts.text.unknown_tokens import read, read_labels

    if not callable(tokenizer) or getattr(tokenizer, "unk_token_id", None) is None:
        raise NotApplicable("the tokenizer has no unknown token")
    rows = sampled_rows.rows if sampled_rows else ()
    texts = [text for row in rows for name, text in row.texts.items() if not needed_columns or name in needed_columns]
    if not texts and (decoder_rows or ctc_rows):
        return require(read_labels(label_rows, tokenizer), "the unknown token is an end or padding, too")
    require(texts, "the rows have no text under a known key")
    require(any(text.strip() for text in texts), "every text is empty", Unavailable)
    return read(texts[:: max(1, len(texts) // TEXTS)], tokenizer)


@provider
def speaking_rates(
    sampled_rows: Corpus, audio_files: AudioFiles | None = None, recorded_files: FileRecords | None = None
) -> SpeakingRates:
    """Letters of what is spoken against seconds: by the header, else as the row says."""
    from probes.facts.text.speaking_rates import rates_of, seconds_by_record, stated_seconds

    rows = sampled_rows.rows
    if recorded_files is not None:
        seconds = seconds_by_record(rows, recorded_files.records)
    else:
        clips = audio_files.rows if audio_files else ()
        measured = {clip.row.where: clip.header.seconds for clip in clips if clip.header}
        seconds = [measured.get(row.where, row.seconds) for row in rows] if measured else stated_seconds(rows)
    found = rates_of(rows, seconds)
    require(found.count, "no row has both a duration and a text that is spoken")
    return found


@provider
def text_styles(train_corpus: Corpus, eval_corpus: Corpus) -> tuple[TextStyle, TextStyle]:
    """How the texts of the training and of the evaluation set are written."""
    from probes.facts.text.text_style import style_of

    pair = [style_of(corpus.rows) for corpus in (train_corpus, eval_corpus)]
    few = min(style.texts for style in pair)
    require(few >= LEAST, f"{few} texts in one split are too few, expected at least {LEAST}")
    return pair[0], pair[1]
