"""The texts of the sampled rows: read closely, read by the tokenizer, and against their seconds."""

from functools import partial
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.audio.types import AudioFiles
from probes.facts.core.require import require
from probes.facts.corpus.types import Corpus, CorpusRow
from probes.facts.text.types import SpeakingRate, TextCheck, TextStyle, UnknownTokenShares

LEAST = 20  # texts of each side

SPOKEN = ("transcript", "text", "sentence", "transcription")
TEXTS = 256  # read by the tokenizer, three times each


@provider
def text_checks(sampled_rows: Corpus, tokenizer: Any = None) -> tuple[TextCheck, ...]:
    from probes.facts.core.tokens import text_ids
    from probes.facts.text.text_checks import read_texts

    require(any(row.texts for row in sampled_rows.rows), "the rows have no text under a name that is known")
    known = getattr(tokenizer, "get_added_vocab", None)
    tokens = frozenset(known()) if known else frozenset()
    return read_texts(sampled_rows.rows, partial(text_ids, tokenizer) if callable(tokenizer) else None, tokens)


@provider
def unknown_token_shares(sampled_rows: Corpus, tokenizer: Any, needed_columns: Any = ()) -> UnknownTokenShares:
    """Only texts that become labels or inputs of tokens, where the run says which."""
    from probes.facts.text.unknown_tokens import read

    if not callable(tokenizer) or getattr(tokenizer, "unk_token_id", None) is None:
        raise NotApplicable("the tokenizer has no unknown token")
    rows = sampled_rows.rows
    texts = [text for row in rows for name, text in row.texts.items() if not needed_columns or name in needed_columns]
    require(any(text.strip() for text in texts), "there is no text to read", Unavailable)
    return read(texts[:: max(1, len(texts) // TEXTS)], tokenizer)


@provider
def speaking_rates(sampled_rows: Corpus, audio_files: AudioFiles | None = None) -> tuple[SpeakingRate, ...]:
    """Letters of what is spoken against seconds: by the header, else as the row says."""
    measured = {clip.row.where: clip.header.seconds for clip in audio_files.rows if clip.header} if audio_files else {}
    rows = [pace for row in sampled_rows.rows if (pace := _pace(row, measured.get(row.where, row.seconds)))]
    return tuple(require(rows, "no row has both a duration and a text that is spoken"))


def _pace(row: CorpusRow, seconds: float | None) -> SpeakingRate | None:
    column = next((name for name in SPOKEN if row.texts.get(name, "").strip()), "")
    return SpeakingRate(row, column, len("".join(row.texts[column].split())), seconds) if column and seconds else None


@provider
def text_styles(train_corpus: Corpus, eval_corpus: Corpus) -> tuple[TextStyle, TextStyle]:
    """How the texts of the training and of the evaluation set are written."""
    from probes.facts.text.text_style import style_of

    pair = [style_of(corpus.rows) for corpus in (train_corpus, eval_corpus)]
    few = min(style.texts for style in pair)
    require(few >= LEAST, f"{few} texts on one side are too few to tell, expected at least {LEAST}")
    return pair[0], pair[1]
