"""A vocabulary of whole words need not have their letters."""

from __future__ import annotations

from probes.facts.text.unknown_tokens import read
from tests.zoo.trainers.trainer_kit import words_tokenizer


def test_only_letters_of_words_that_are_lost_are_unknown() -> None:
    assert read(["anna reads books", "paul sees doors"], words_tokenizer()).strange == {}
    assert set(*read(["anna reads жук"], words_tokenizer()).strange.values()) == set("жук")
