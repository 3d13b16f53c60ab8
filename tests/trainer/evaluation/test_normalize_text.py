"""Both sides of a score are spelt one way."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainer.evaluation.normalize_text import normalize

SAMPLES = [
    ("Xin chào, các bạn!", "xin chào các bạn"),
    ("ĐẸP QUÁ", "đẹp quá"),
    ("don’t STOP", "don't stop"),
    ("'quoted' words", "quoted words"),
    ("e-mail: 50%", "e mail 50%"),
    ("a\u200bb\u00adc", "abc"),
    ("một\u00a0hai\tba\nbốn", "một hai ba bốn"),
    ("hòa thúy khỏe", "hoà thuý khoẻ"),
    ("của mùa", "của mùa"),
    ("hoàn toán", "hoàn toán"),
    ("ＡＢ１", "ab1"),
    ("...", ""),
    ("", ""),
    ("à", "à"),
]


@pytest.mark.parametrize(("text", "expected"), SAMPLES)
def test_samples(text, expected):
    assert normalize(text) == unicodedata.normalize("NFC", expected)


@given(st.text(alphabet="aăâeêioôơuưyđ ̣̀́̃̉'’.,-AĂÂĐ\u200b", max_size=20))
def test_every_unicode_form_of_vietnamese_is_the_same(text):
    assert normalize(unicodedata.normalize("NFD", text)) == normalize(unicodedata.normalize("NFC", text))


@given(st.text(max_size=30))
def test_doing_it_twice_changes_nothing(text):
    assert normalize(normalize(text)) == normalize(text)


@given(st.text(max_size=30))
def test_words_are_separated_by_one_space(text):
    assert normalize(text) == " ".join(normalize(text).split())
