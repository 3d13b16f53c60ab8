"""Runs the longest rows, the shortest, and a short row next to a long one: what would raise hours later raises now."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from diagnose.engine import pass_counter
from probes.facts.core.batch_rows import Collate, input_of
from probes.facts.core.batches import copy_batch
from probes.facts.core.failure import failure_of
from probes.facts.core.finite import is_finite
from probes.facts.core.fork import run_apart
from probes.facts.core.model_output import NoLoss
from probes.facts.core.model_parts import as_in_training, trainable
from probes.facts.core.observer import restore_afterwards
from probes.facts.core.step_setup import StepSetup
from probes.facts.loss.encoder_frames import EncoderFrameProbe
from probes.facts.loss.types import ExtremeBatches, ExtremeBatchResult, FramesUsed

KINDS = ("the longest rows", "the shortest rows", "a short row next to a long one")


@dataclass(frozen=True)
class ExtremeBatch:
    """A batch of chosen rows."""

    kind: str
    numbers: tuple[int, ...]
    batch: Any


def pick(dataset: Any, numbers: Sequence[int], collate: Collate, labels_of: Any, rows: int, limit: int | None) -> Any:
    """Batches of these candidates, made in a child. `rows` fill a batch; `limit` bounds its elements."""

    def work() -> list[ExtremeBatch]:
        items = [dataset[number] for number in numbers]
        sizes = [_size(collate([copy_batch(item)]), labels_of) for item in items]
        order = sorted(range(len(items)), key=lambda place: sizes[place])
        if sizes[order[0]] == sizes[order[-1]]:
            return []
        many = min(rows, max(1, limit // max(sizes[order[-1]][0], 1))) if limit else rows
        longest_text = max(order, key=lambda place: sizes[place][1])
        longest = dict.fromkeys([longest_text, *reversed(order)])  # the longest text too, wherever it stands
        chosen = (list(longest)[:many], order[:2], [order[0], order[-1]])
        return [
            ExtremeBatch(kind, tuple(numbers[p] for p in places), collate([copy_batch(items[p]) for p in places]))
            for kind, places in zip(KINDS, chosen, strict=True)
        ]

    return run_apart(work, dataset, collate)


def _size(batch: Any, labels_of: Any) -> tuple[int, int]:
    read, labels = input_of(batch), labels_of(batch)
    scored = int((labels != -100).sum()) if isinstance(labels, torch.Tensor) else 0
    return (read[1].numel() if read else 0, scored)


def run_extremes(setup: StepSetup, picked: Sequence[ExtremeBatch], usual: Any) -> ExtremeBatches:
    """Forward and backward of each in training mode; one that raises is a result, and the next one is tried."""
    model, size = setup.model, max(_numbers(usual), 1)
    batches: list[ExtremeBatchResult] = []
    frames: list[FramesUsed] = []
    with restore_afterwards(model, others=setup.also_restore), torch.enable_grad():
        as_in_training(model)
        for one in picked:
            pass_counter.count_passes(_numbers(one.batch) / size)
            with EncoderFrameProbe(model, one.batch) as encoder:
                batches.append(_run(setup, one, encoder))
            frames += encoder.frames
            for parameter in model.parameters():
                parameter.grad = None
    return ExtremeBatches(tuple(batches), tuple(frames))


def _run(setup: StepSetup, one: ExtremeBatch, encoder: EncoderFrameProbe) -> ExtremeBatchResult:
    model = setup.model
    rows = tuple(f"train_dataset[{number}]" for number in one.numbers)
    read = input_of(one.batch)
    extreme = ExtremeBatchResult(one.kind, rows, tuple(read[1].shape) if read else ())
    phase = "forward pass"
    try:
        loss = setup.compute_loss(model, copy_batch(one.batch))
        encoder.count()
        phase = "backward pass"
        loss.backward()
    except NoLoss:
        raise
    except Exception as error:
        return ExtremeBatchResult(**{**vars(extreme), "failure": failure_of(error, model, phase)})
    gradients = [(name, parameter.grad) for name, parameter in trainable(model) if parameter.grad is not None]
    bad = tuple(name for name, gradient in gradients if not gradient.is_sparse and not is_finite(gradient))
    return ExtremeBatchResult(**{**vars(extreme), "loss": float(loss.detach()), "bad_gradients": bad})


def _numbers(batch: Any) -> int:
    read = input_of(batch)
    return read[1].numel() if read else 0
