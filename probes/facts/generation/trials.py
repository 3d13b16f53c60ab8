"""Two trials of a generation: free running, and with the labels forced: can they be generated at all?"""

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

    runner: GenerationRunner
    rows: tuple[LabelRow, ...]
    special: SpecialIds
    decode: Decode | None = None
    names: Callable[[int], str] = str
    no_text: frozenset[int] = frozenset()

    @property
    def labels(self) -> list[list[int]]:
        return [self._without_repeated_end([token for token in row.ids if token >= 0]) for row in self.rows]

    def _without_repeated_end(self, ids: list[int]) -> list[int]:
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


def generate_freely(context: GenerationContext, trained: bool) -> FreeGeneration:
    """A model that knows something has room for twice its labels; from random weights a few tokens are enough."""
    limit = 2 * max(map(len, context.labels)) + FEW if trained else FEW
    first = context.runner.run(limit, passes=2.0, seed=1)
    if first.failure:
        return FreeGeneration((), failure=first.failure)
    second = context.runner.run(min(limit, FEW), passes=0.5, seed=2)
    special = context.special
    settings = first.steering.settings
    top_k = getattr(settings, "top_k", None)
    sampling = getattr(settings, "do_sample", False) and top_k != 1  # of one there is no choice
    rows = _generated_rows(context, first, [None] * len(context.rows))
    again = [tuple(row[1:]) for row in _firsts(second.ids_read, len(context.rows))]
    names = {token: context.names(token) for row in rows for token in row.ids}
    no_text = context.no_text | set(special.ends) | set(special.padding)
    return FreeGeneration(
        rows,
        tuple(again),
        limit,
        first.steering.cut and not first.steering.late,
        "do_sample" * bool(sampling),
        frozenset(no_text),
        names,
    )


def generate_labels(context: GenerationContext, all_rows: Sequence[LabelRow], classes: int, detects: bool) -> Any:
    """The same generation with the model made to say the labels. A Failure where it raises."""
    labels = context.labels
    needed, end = max(map(len, labels)), context.special.end
    run = context.runner.run(needed + FEW, passes=3.0, labels=labels, end=end if end is not None else labels[0][-1])
    if run.failure:
        return run.failure
    prompts = tuple(_prompts(context, run, detects))
    ids_read = _firsts(run.ids_read, len(context.rows))
    ends = all(set(row) & set(context.special.ends) for row in labels)
    played = [(row.where, [token for token in row.ids if token >= 0]) for row in (*context.rows, *all_rows)]
    start = run.steering.prompt[0] if run.steering.prompt else [0]
    steps = len(start) - 1 + run.steering.steps
    read = max(map(len, ids_read), default=1) - 1 if run.steering.is_hf else steps
    references = context.texts(labels)
    return ForcedGeneration(
        rows=_generated_rows(context, run, references) if run.ids and not run.steering.cut else (),
        prompts=prompts,
        forbidden=find_forbidden_labels(run.steering.rules, played, start, classes, context.names),
        went_on=ends and run.steering.cut and not run.steering.late,
        stopped=None if run.steering.cut else read,
        needed=needed,
        end=end,
        waits_for=eos_ids(run.steering.settings),
    )


def eos_ids(settings: Any) -> tuple[int, ...]:
    ids = getattr(settings, "eos_token_id", None)
    return tuple(ids) if isinstance(ids, list | tuple) else (ids,) if isinstance(ids, int) else ()


def _generated_rows(
    context: GenerationContext, run: GenerationRun, references: Sequence[str | None]
) -> tuple[GeneratedRow, ...]:
    ids_read = _firsts(run.ids_read, len(context.rows))
    returned = run.ids if len(run.ids) == len(context.rows) else []
    texts = context.texts(returned or [row[1:] for row in ids_read])
    made = []
    for number, row in enumerate(context.rows):
        ids = truncate_at_eos(ids_read[number][1:], context.special.ends) if number < len(ids_read) else ()
        ended = bool(set(ids) & set(context.special.ends))
        text = texts[number] if number < len(texts) else None
        made.append(GeneratedRow(row.where, ids, tuple(context.labels[number]), text, references[number], ended))
    return tuple(made)


def _prompts(context: GenerationContext, run: GenerationRun, detects: bool) -> Iterable[GenerationPrompt]:
    for number, given in enumerate(_firsts(run.steering.prompt, len(context.rows))):
        labels = context.labels[number]
        names = tuple(map(context.names, given))
        expected = tuple(map(context.names, labels[: len(given)]))
        row = context.rows[number]
        yield GenerationPrompt(row.where, tuple(given), tuple(labels), names, expected, (0,) if detects else ())


def _firsts(lines: Rows, rows: int) -> list[list[int]]:
    """Of several beams for each row the first."""
    each = max(1, len(lines) // max(rows, 1))
    return [list(line) for line in lines[::each]][:rows]
