"""Rows and checks for the tests of every collator."""

from __future__ import annotations

import copy
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from hypothesis import strategies as st

from trainer.collate.labels import normalize_text

RATE = 16000
LETTERS = "abcdeghiklmnopqrstuvxyàáâãèéêìíòóôõùúýăđĩũơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ"
TRAIN_TEXTS = (" ".join(LETTERS), "AEIOU ĐƯỜNG", "deadline của team mình, ok?")
FORMS = ("NFC", "NFD")

words = st.text(alphabet=LETTERS, min_size=1, max_size=8)
sentences = st.lists(words, min_size=1, max_size=5).map(" ".join)
spaced = st.one_of(sentences, st.sampled_from(["", " ", "\t\n", "\u00a0"]), sentences.map(lambda text: f"  {text}\n "))
texts = st.tuples(spaced, st.sampled_from(FORMS)).map(lambda pair: unicodedata.normalize(pair[1], pair[0]))
samples = st.one_of(st.integers(1, 900), st.integers(901, 9000))


def item(length: int, transcript: str, translation: str) -> dict[str, Any]:
    """A row of the dataset; the audio follows from its length."""
    audio = 0.1 * torch.randn(length, generator=torch.Generator().manual_seed(length))
    return {"audio": audio, "sample_rate": RATE, "transcript": transcript, "translation": translation, "id": "m.csv:2"}


def document(text: str, summary: str) -> dict[str, str]:
    """A row of the text task."""
    return {"document": text, "summary": summary, "id": "t.csv:2"}


items = st.builds(item, samples, texts, texts)
batches = st.lists(items, min_size=1, max_size=4)
documents = st.builds(document, texts, texts)
document_batches = st.lists(documents, min_size=1, max_size=4)
Collate = Callable[[Sequence[Mapping[str, Any]]], dict[str, torch.Tensor]]


def expected_texts(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What task "both" asks for: all transcripts, then all translations."""
    return [normalize_text(row[name]) for name in ("transcript", "translation") for row in rows]


def check_labels(labels: torch.Tensor, end: int, specials: set[int]) -> None:
    """Task token first, end token last and once, -100 behind it and nowhere else, no start token."""
    for row in labels.tolist():
        scored = [label for label in row if label != -100]
        assert row[: len(scored)] == scored
        assert scored.count(end) == 1 and scored[-1] == end
        assert not specials & set(scored[1:-1]) and scored[0] in specials
    assert (labels[:, -1] != -100).any()


def same_inputs(before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a collator left its rows alone."""
    return all(
        one.keys() == two.keys() and all(_equal(one[key], two[key]) for key in one)
        for one, two in zip(before, after, strict=True)
    )


def copied(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows as they are now."""
    return copy.deepcopy(list(rows))


def row_contents(batch: Mapping[str, torch.Tensor], number: int, pads: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """One row without its padding: `pads` has, for each key, the length of each row."""
    return {key: value[number][: pads[key][number]] if key in pads else value[number] for key, value in batch.items()}


def assert_same_row(one: Mapping[str, Any], two: Mapping[str, Any]) -> None:
    """Equal to the last bit."""
    assert one.keys() == two.keys()
    for key in one:
        assert torch.equal(one[key], two[key]), key


def _equal(one: Any, two: Any) -> bool:
    return torch.equal(one, two) if isinstance(one, torch.Tensor) else one == two
