"""Texts: a wrong encoding, markup and look-alike letters are found, and sound texts left alone."""

import pytest

import diagnose
from diagnose.engine.context import NotApplicable, Unavailable
from diagnose.engine.engine import installed
from probes.facts.corpus.types import CorpusRow
from probes.facts.text.mojibake import undo_mojibake
from probes.facts.text.text_checks import read_texts
from probes.subjects.tone_corpus import tokenizer

VIETNAMESE = "mẹ mua cá ở chợ"


@pytest.mark.parametrize("codec", ["cp1252", "latin-1", "cp1258"])
def test_letters_read_with_another_encoding_are_told(codec):
    text = "bà bán bánh"
    assert undo_mojibake(text.encode().decode(codec)) == text


@pytest.mark.parametrize(
    "text", [VIETNAMESE, "Größe, café, 1º piso", "really?yes", "what? no", "ＡＢＣ株式会社", "naïve"]
)
def test_sound_texts_are_left_alone(text):
    (read,) = read_texts([CorpusRow("row 0", texts={"transcript": text})])
    assert not (read.repaired or read.markup or read.invisible or read.homoglyph_words)


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("m? mua c? ? ch?", ""),
        ("m?ẹ mu?a c?á", "repaired"),
        ("ｍｕａ cá", "homoglyph_words"),
        ("mua cá\t0.93", "invisible"),
        ("00:01:02,000 --> 00:01:04,000 mua cá", "markup"),
        ("xem https://a.vn", "markup"),
    ],
)
def test_what_nobody_says_is_found(text, field):
    (read,) = read_texts([CorpusRow("row 0", texts={"transcript": text})])
    assert [name for name in ("repaired", "markup", "invisible", "homoglyph_words") if getattr(read, name)] == [
        field
    ] * bool(field)


def test_tokenized_rows_have_no_text_and_empty_texts_are_another_matter():
    facts = {"tokenizer": tokenizer(), "train_dataset": [{"input_ids": [3, 4], "label": n % 2} for n in range(8)]}
    report = diagnose.preflight(select=["DAT028", "DAT029", "TOK004"], **facts)
    assert {outcome.status for outcome in report.outcomes} == {"skipped"}
    with pytest.raises(NotApplicable, match="no text"):
        installed().context(facts).get("unknown_token_shares")
    with pytest.raises(Unavailable, match="empty"):
        installed().context(facts | {"train_rows": [{"text": " "}]}).get("unknown_token_shares")
