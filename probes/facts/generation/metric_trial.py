"""Calls the user's metric with predictions of known quality: labels, other rows' labels, plain words."""

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probes.facts.core.failure import failure_of
from probes.facts.generation.metric_types import MetricTrial

WIDER = 3  # columns of padding behind gathered predictions; labels have one, as beside a longer batch
CERTAIN = 20.0  # a logit so far above nought that its class is certain
Rows = list[list[int]]


@dataclass(frozen=True)
class MetricTrialRunner:
    """The metric function with all that is known about what it wants."""

    compute: Callable[[Any, Any], Any]
    rows: Rows  # without -100
    single: bool  # one class for each row, no sequence
    classes: int
    padding: int
    forms: tuple[str, ...]
    decode: Callable[[Any], list[str]] | None = None
    encode: Callable[..., list[int]] | None = None

    def run(self) -> MetricTrial:
        """The first form that it takes without -100 is the one it wants."""
        failures = []
        for form in self.forms:
            try:
                clean = self.figures(form, self.rows, gathered=False)
                return self._all(form, clean)
            except Exception as error:
                failures.append(failure_of(error, None, "metric"))
        return MetricTrial(self.forms[0], len(self.rows), failure=failures[0], bare=True)

    def _all(self, form: str, clean: Mapping[str, float]) -> MetricTrial:
        count = len(self.rows)
        try:
            perfect = self.figures(form, self.rows, gathered=True)
            swapped = self.figures(form, [*self.rows[1:], self.rows[0]], gathered=True)
        except Exception as error:
            return MetricTrial(form, count, clean=clean, failure=failure_of(error, None, "metric"))
        encode = self.encode if form in ("ids", "texts") else None
        bare, example = bare_texts(self.rows, self.padding, self.decode, encode)
        stripped = self.figures(form, bare, gathered=True) if bare else {}
        return MetricTrial(form, count, perfect, clean, swapped, stripped, example)

    def figures(self, form: str, predicted: Rows, gathered: bool) -> dict[str, float]:
        labels, predictions = self._labels(gathered), self._predictions(form, predicted, gathered)
        if form == "texts" and self.decode:
            labels = self.decode(labels)
        return figures_of(self.compute(predictions, labels))

    def _labels(self, gathered: bool) -> Any:
        if self.single:
            return np.array([row[0] for row in self.rows])
        return padded(self.rows, -100 if gathered else self.padding, int(gathered))

    def _predictions(self, form: str, predicted: Rows, gathered: bool) -> Any:
        if form == "logits":
            return self._scores(predicted, gathered)
        if self.single:
            return np.array([row[0] for row in predicted])
        ids = padded(predicted, self.padding, WIDER if gathered else 0)  # by generate; only a Trainer adds -100
        return self.decode(ids) if form == "texts" and self.decode else ids

    def _scores(self, predicted: Rows, gathered: bool) -> Any:
        """As wide as the labels: scores are of the same places."""
        width = max(map(len, self.rows)) + int(gathered)
        cut = [[*row, *[self.padding] * width][:width] for row in predicted]
        scores = np.zeros((len(predicted), width, self.classes), dtype=np.float32)
        for number, row in enumerate(cut):
            scores[number, np.arange(width), row] = CERTAIN
        return scores[:, 0] if self.single else scores


def bare_texts(rows: Rows, padding: int, decode: Any, encode: Any) -> tuple[Rows, tuple[str, str]]:
    """The rows' texts in lower case and without punctuation, and one of them; nothing where that changes none."""
    if decode is None or encode is None:
        return [], ("", "")
    texts = decode(padded(rows, padding))
    bare = [strip_case_and_punctuation(text) for text in texts]
    changed = [(text, word) for text, word in zip(texts, bare, strict=True) if text != word and word]
    return ([encode(text) for text in bare], changed[0]) if changed else ([], ("", ""))


def figures_of(found: Any) -> dict[str, float]:
    """The numbers among what a metric function returned."""
    named = found if isinstance(found, Mapping) else {"figure": found}
    return {str(name): float(value) for name, value in named.items() if _is_number(value)}


def strip_case_and_punctuation(text: str) -> str:
    letters = (letter if unicodedata.category(letter)[0] in "LMN" else " " for letter in text.lower())
    return " ".join("".join(letters).split())


def padded(rows: Sequence[Sequence[int]], padding: int, wider: int = 0) -> np.ndarray:
    width = max(map(len, rows)) + wider
    return np.array([[*row, *[padding] * (width - len(row))] for row in rows], dtype=np.int64)


def distinct(rows: Iterator[Sequence[int]], limit: int = 8) -> Rows:
    return [list(row) for row in list(dict.fromkeys(tuple(row) for row in rows if row))[:limit]]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) or (hasattr(value, "item") and getattr(value, "shape", (1,)) == ())
