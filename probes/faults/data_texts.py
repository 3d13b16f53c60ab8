"""Faults in the texts of a manifest."""

import unicodedata
from typing import Any

from diagnose import fault
from diagnose.facts import NotApplicable
from probes.faults.changes import Facts
from probes.faults.data_changes import SPEECH, SPOILT, in_corpus, texts, with_rows

Rows = list[dict[str, Any]]


def _text(facts: Facts) -> str:
    return texts(facts)[SPOILT]


def _with_text(facts: Facts, text: str) -> Facts:
    return with_rows(facts, lambda train, _: train[SPOILT].update(transcript=text))


@fault("text_emptied", "a row lost its text", "DAT002", in_corpus(lambda f: not _text(f)), SPEECH)
def text_emptied(facts: Facts) -> Facts:
    return _with_text(facts, "")


@fault(
    "text_with_tags", "a subtitle's tags stayed in a text", "DAT023", in_corpus(lambda f: "[cười]" in _text(f)), SPEECH
)
def text_with_tags(facts: Facts) -> Facts:
    return _with_text(facts, "[cười] mẹ mua cá **rồi**")


@fault("text_decoded_wrongly", "UTF-8 was read as Latin-1", "DAT024", in_corpus(lambda f: "Ã" in _text(f)), SPEECH)
def text_decoded_wrongly(facts: Facts) -> Facts:
    return _with_text(facts, "mẹ mua cá ở chợ".encode().decode("latin-1").replace("\x85", "…"))


@fault(
    "text_decomposed",
    "letters and marks stand apart",
    "DAT025",
    in_corpus(lambda f: not unicodedata.is_normalized("NFC", _text(f))),
    SPEECH,
)
def text_decomposed(facts: Facts) -> Facts:
    text = "cô giáo đọc sách"
    apart, ids = unicodedata.normalize("NFD", text), facts.get("tokenizer")
    if ids is not None and ids(text)["input_ids"] == ids(apart)["input_ids"]:
        raise NotApplicable("its tokenizer composes letters by itself")
    return _with_text(facts, apart)


@fault(
    "text_with_zero_width",
    "zero-width spaces stand in a text",
    "DAT026",
    in_corpus(lambda f: "\u200b" in _text(f)),
    SPEECH,
)
def text_with_zero_width(facts: Facts) -> Facts:
    return _with_text(facts, "cô giáo\u200b đọc sách")


@fault(
    "text_with_lookalikes",
    "Cyrillic letters stand in Latin words",
    "DAT027",
    in_corpus(lambda f: "\u0430" in _text(f)),
    SPEECH,
)
def text_with_lookalikes(facts: Facts) -> Facts:
    return _with_text(facts, "c\u0430fe s\u0430ng")


@fault(
    "text_of_an_hour",
    "a row got the text of a whole recording",
    "DAT030",
    in_corpus(lambda f: len(_text(f)) > 300),
    SPEECH,
)
def text_of_an_hour(facts: Facts) -> Facts:
    return _with_text(facts, "mẹ mua cá ở chợ rồi về nhà nấu cơm " * 10)


def _drop(train: Rows, evaluation: Rows) -> None:
    for row in evaluation:
        del row["transcript"]


@fault(
    "column_dropped",
    "the evaluation rows lost their transcript",
    "DAT031",
    in_corpus(lambda f: not any(texts(f, "eval"))),
    SPEECH,
)
def column_dropped(facts: Facts) -> Facts:
    return with_rows(facts, _drop)


def _deal(train: Rows, evaluation: Rows) -> None:
    for row, text in zip(train, sorted(row["transcript"] for row in train), strict=True):
        row["transcript"] = text


@fault(
    "texts_sorted",
    "texts were sorted and the audio was not",
    "DAT040",
    in_corpus(lambda f: texts(f) == sorted(texts(f))),
    SPEECH,
)
def texts_sorted(facts: Facts) -> Facts:
    return with_rows(facts, _deal)


def _capitals(train: Rows, evaluation: Rows) -> None:
    for row in evaluation:
        row["transcript"] = row["transcript"].title()


@fault(
    "evaluation_in_capitals",
    "evaluation texts have capitals, training texts have none",
    "DAT050",
    in_corpus(lambda f: all(text.istitle() for text in texts(f, "eval"))),
    SPEECH,
)
def evaluation_in_capitals(facts: Facts) -> Facts:
    corpus = with_rows(facts, _capitals)
    for row in corpus["train_rows"]:
        row["transcript"] = row["transcript"].lower()
    return corpus
