"""Reduces a failing batch to the fewest rows that fail, and finds the origin of the bad value."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import torch

from diagnose.engine.seeding import seed_all
from probes.facts.core.batch_rows import CannotSplitBatch, rows_of_batch, select_rows
from probes.facts.core.batches import copy_batch, tensors_of
from probes.facts.core.fork import CannotFork, ChildRaised, run_in_fork
from probes.facts.core.hooks import removed_afterwards
from probes.facts.core.observer import restore_afterwards
from probes.facts.nonfinite.exploded_weights import blame_weights
from probes.facts.nonfinite.module_calls import ModuleCallStack
from probes.facts.nonfinite.provenance import NonFiniteTracker
from probes.facts.nonfinite.traced_step import (
    AutocastSetup,
    earliest_origin,
    find_origin,
    step_is_finite,
    unwrapped,
)
from probes.facts.nonfinite.types import BisectResult, Origin

NAMES = ("audio_path", "path", "file", "id")
Rows = tuple[int, ...]

REPLAYS = 3  # before a failure that does not come back is called unsteady


def bisect_batch(subject: AutocastSetup, batch: Any, names: tuple[str, ...] = ()) -> BisectResult:
    """One plain step; when it is finite, that was all."""
    if step_is_finite(subject, batch):
        return BisectResult()
    replays = ((number, find_origin(subject, batch)) for number in range(REPLAYS))
    failed, origin = next(((number, found) for number, found in replays if found), (REPLAYS, None))
    if origin is None:
        return BisectResult(Origin("forward pass", "", "unsteady", reproducible=False, precision=subject.precision))
    if origin.phase in ("weights", "update"):  # no row is to blame
        return BisectResult(origin)
    origin = blame_weights(origin, subject) if origin.phase != "data" else origin
    if origin.exploded:
        return BisectResult(origin)
    if failed:  # halving a failure that comes and goes would name any row
        return BisectResult(replace(origin, reproducible=False))
    rows = _rows(subject, batch)
    return BisectResult(replace(origin, rows=rows, files=tuple(_name(names, row) for row in rows)))


def bisect_one_batch(subject: AutocastSetup, options: Mapping[str, Any], generate: Any = None) -> BisectResult:
    """A batch that was handed over: under the caller's random state, then under seeds; generated from at last."""
    batch, names, seeds = options["batch"], options.get("names", ()), range(options.get("seeds", 0))
    for set_state in (options.get("restore_rng", lambda: None), *(partial(seed_all, seed) for seed in seeds)):
        set_state()
        if (result := bisect_batch(subject, batch, names)).origin is not None:
            return result
    return BisectResult(origin_in_generation(subject, batch, generate) if generate is not None else None)


def _rows(subject: AutocastSetup, batch: Any) -> Rows:
    """The fewest that still fail; none where the batch cannot be cut into rows."""
    try:
        size = rows_of_batch(batch, None)
    except CannotSplitBatch:
        return ()

    def fails(rows: Rows) -> bool:
        try:
            return not step_is_finite(subject, select_rows(batch, rows, size))
        except Exception:  # a part of a batch may be no batch for this model
            return False

    return minimal_failing_rows(tuple(range(size)), fails)


def _name(names: tuple[str, ...], row: int) -> str:
    """A multitask collator repeats its rows, once for each task."""
    return names[row % len(names)] if names else ""


def minimal_failing_rows(rows: Rows, fails: Callable[[Rows], bool]) -> Rows:
    """By halving; where neither half fails alone, by leaving out one after the other."""
    while len(rows) > 1:
        half = len(rows) // 2
        part = next((part for part in (rows[:half], rows[half:]) if fails(part)), None)
        if part is None:
            return _without(rows, fails)
        rows = part
    return rows


def _without(rows: Rows, fails: Callable[[Rows], bool]) -> Rows:
    for row in rows:
        fewer = tuple(one for one in rows if one != row)
        if fewer and fails(fewer):
            rows = fewer
    return rows


def names_of(dataset: Any, indices: Rows) -> tuple[str, ...]:
    """The rows as the dataset calls them, or by their number in it; looked up in a child, since items may be drawn."""
    try:
        return run_in_fork(lambda: tuple(_item_name(dataset, index) for index in indices))
    except (CannotFork, ChildRaised):
        return tuple(f"item {index} of the training set" for index in indices)


def _item_name(dataset: Any, index: int) -> str:
    rows = getattr(dataset, "rows", None)
    item = rows[index] if isinstance(rows, list) else dataset[index]
    name = next((item[key] for key in NAMES if isinstance(item.get(key), str)), "") if isinstance(item, Mapping) else ""
    return name or f"item {index} of the training set"


class BadLogits(Exception):
    """Leaves generate at the first logits that hold NaN."""

    def __init__(self, logits: torch.Tensor) -> None:
        self.logits = logits


def origin_in_generation(subject: AutocastSetup, batch: Any, generate: Any) -> Origin | None:
    """The origin of the first NaN in the logits while this batch is generated from; None if there is none."""
    model = unwrapped(subject.model)
    calls, batch = ModuleCallStack(model), copy_batch(batch)
    known = {"weights": [*model.named_parameters(), *model.named_buffers()], "data": list(tensors_of(batch))}
    with restore_afterwards(model), torch.no_grad(), torch.compiler.set_stance("force_eager"):
        model.eval()
        tracker = NonFiniteTracker(calls, known)
        with removed_afterwards([model.register_forward_hook(_leave_at_nan)]), calls.followed(), tracker:
            bad = None
            with suppress(Exception):  # a batch of training may lack what generation needs
                try:
                    generate(model, batch)
                except BadLogits as found:
                    bad = found.logits
        if bad is None:
            return None
        origin = earliest_origin([("a logit in generate()", tracker.origin_of(bad))], subject)
    return replace(origin, phase="generation") if origin.phase in ("forward pass", "loss") else origin


def _leave_at_nan(model: torch.nn.Module, given: Any, output: Any) -> None:
    logits = output.get("logits") if isinstance(output, dict) else getattr(output, "logits", output)
    if isinstance(logits, torch.Tensor) and bool(torch.isnan(logits).any()):
        raise BadLogits(logits)
