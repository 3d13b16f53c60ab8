"""Two trials of a generation: what the model says by itself, and whether it could say the labels if it knew them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from probes.facts.core.types import SpecialIds
from probes.facts.generation.logits_processors import find_forbidden_labels
from probes.facts.generation.run_generation import GenerationRun, GenerationRunner, truncate_at_eos
from probes.facts.generation.steering import Rows
from probes.facts.generation.types import ForcedGeneration, FreeGeneration, GeneratedRow, GenerationPrompt
from probes.facts.labels.types import LabelRow

FEW = 4  # tokens: enough to see it run, raise or draw at random
Decode = Callable[[Any], list[str]]


@dataclass(frozen=True)
class GenerationContext:
    """Two rows of the first batch, and what is known of their labels."""

    speaking: GenerationRunner
    rows: tuple[LabelRow, ...]
    special: SpecialIds
    decode: Decode | None = None
    names: Callable[[int], str] = str
    no_text: frozenset[int] = frozenset()

    @property
    def labels(self) -> list[list[int]]:
        return [self._said_once([token for token in row.ids if token >= 0]) for row in self.rows]

    def _said_once(self, ids: list[int]) -> list[int]:
        """Up to the first of several end tokens: generation rightly stops there."""
        while len(ids) > 2 and {ids[-1], ids[-2]} <= set(self.special.ends):
            ids = ids[:-1]
        return ids

    def texts(self, ids: Rows) -> list[str | None]:
        """By the run's own decode, padded with -100 as an evaluation would."""
        if self.decode is None or not ids:
            return [None] * len(self.rows)
        width = max(map(len, ids))
        padded = torch.tensor([[*row, *[-100] * (width - len(row))] for row in ids], dtype=torch.long)
        return [str(text) for text in self.decode(padded)]


def generate_freely(scene: GenerationContext, trained: bool) -> FreeGeneration:
    """A model that knows something has room for twice its labels; from random weights a few tokens are enough."""
    limit = 2 * max(map(len, scene.labels)) + FEW if trained else FEW
    one = scene.speaking.speak(limit, passes=2.0, seed=1)
    if one.failure:
        return FreeGeneration((), failure=one.failure)
    other = scene.speaking.speak(min(limit, FEW), passes=0.5, seed=2)
    special = scene.special
    settings = one.reins.settings
    sampling = (
        getattr(settings, "do_sample", False) and getattr(settings, "top_k", None) != 1
    )  # of one there is no choice
    rows = _utterances(scene, one, [None] * len(scene.rows))
    again = [tuple(row[1:]) for row in _firsts(other.said, len(scene.rows))]
    names = {token: scene.names(token) for row in rows for token in row.ids}
    no_text = scene.no_text | set(special.ends) | set(special.padding)
    return FreeGeneration(
        rows,
        tuple(again),
        limit,
        one.reins.cut and not one.reins.late,
        "do_sample" * bool(sampling),
        frozenset(no_text),
        names,
    )


def generate_labels(scene: GenerationContext, all_rows: Sequence[LabelRow], classes: int, detects: bool) -> Any:
    """The same generation with the model made to say the labels. A Failure where it raises."""
    labels = scene.labels
    needed, end = max(map(len, labels)), scene.special.end
    speech = scene.speaking.speak(
        needed + FEW, passes=3.0, labels=labels, end=end if end is not None else labels[0][-1]
    )
    if speech.failure:
        return speech.failure
    prompts = tuple(_prompts(scene, speech, detects))
    said = _firsts(speech.said, len(scene.rows))
    ends = all(set(row) & set(scene.special.ends) for row in labels)
    played = [(row.where, [token for token in row.ids if token >= 0]) for row in (*scene.rows, *all_rows)]
    start = speech.reins.prompt[0] if speech.reins.prompt else [0]
    read = max(map(len, said), default=1) - 1 if speech.reins.theirs else len(start) - 1 + speech.reins.steps
    references = scene.texts(labels)
    return ForcedGeneration(
        rows=_utterances(scene, speech, references) if speech.ids and not speech.reins.cut else (),
        prompts=prompts,
        forbidden=find_forbidden_labels(speech.reins.rules, played, start, classes, scene.names),
        went_on=ends and speech.reins.cut and not speech.reins.late,
        stopped=None if speech.reins.cut else read,
        needed=needed,
        end=end,
        waits_for=eos_ids(speech.reins.settings),
    )


def eos_ids(settings: Any) -> tuple[int, ...]:
    said = getattr(settings, "eos_token_id", None)
    return tuple(said) if isinstance(said, list | tuple) else (said,) if isinstance(said, int) else ()


def _utterances(
    scene: GenerationContext, speech: GenerationRun, references: Sequence[str | None]
) -> tuple[GeneratedRow, ...]:
    said = _firsts(speech.said, len(scene.rows))
    returned = speech.ids if len(speech.ids) == len(scene.rows) else []
    texts = scene.texts(returned or [row[1:] for row in said])
    made = []
    for number, row in enumerate(scene.rows):
        ids = truncate_at_eos(said[number][1:], scene.special.ends) if number < len(said) else ()
        ended = bool(set(ids) & set(scene.special.ends))
        text = texts[number] if number < len(texts) else None
        made.append(GeneratedRow(row.where, ids, tuple(scene.labels[number]), text, references[number], ended))
    return tuple(made)


def _prompts(scene: GenerationContext, speech: GenerationRun, detects: bool) -> Iterable[GenerationPrompt]:
    for number, given in enumerate(_firsts(speech.reins.prompt, len(scene.rows))):
        labels = scene.labels[number]
        names = tuple(map(scene.names, given))
        expected = tuple(map(scene.names, labels[: len(given)]))
        row = scene.rows[number]
        yield GenerationPrompt(row.where, tuple(given), tuple(labels), names, expected, (0,) if detects else ())


def _firsts(lines: Rows, rows: int) -> list[list[int]]:
    """Of several beams for each row the first."""
    each = max(1, len(lines) // max(rows, 1))
    return [list(line) for line in lines[::each]][:rows]
