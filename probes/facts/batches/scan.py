"""Looks at many batches, and picks those that are worth a forward pass: not finite, or extreme in size or values."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import torch

from probes.facts.batches.types import BadValues, BatchScan, PickedBatch
from probes.facts.core.batches import IndexRecordingSampler, copy_batch, run_over, tensors_of
from probes.facts.core.finite import is_finite
from probes.facts.core.fork import SECONDS, ChildRaised
from probes.facts.core.model_output import labels_or_none
from probes.facts.core.step_setup import LabelsOf, labels_of_batch
from probes.facts.core.torch_ops import is_mask

# The bounds are in work. Drawing costs what the first steps of the run wait for their data: 64 at the most, and fewer
# where batches are large. 256 MB are about 17 batches of 16 waveforms of 15 s, or 13 of 32 images of 224 x 224.
BATCHES = 64
BYTES = 2**28
PICKED = 6  # forward and backward passes

Candidate = tuple[Any, Sequence[int], dict[str, float], tuple[BadValues, ...]]


def scan(batches: Iterable[Any], labels_of: LabelsOf = labels_of_batch) -> BatchScan:
    """In a child, since any loader may carry state."""
    return run_over(batches, partial(_scan, labels_of), seconds=SECONDS * BATCHES)[0]


def _scan(labels_of: LabelsOf, loader: Iterable[Any], recorder: IndexRecordingSampler | None) -> BatchScan:
    looked: list[Candidate] = []
    classes: list[Any] = []
    size, failure, complete = 0, None, False
    drawing = iter(loader)
    while len(looked) < BATCHES and size < BYTES:
        try:
            batch = copy_batch(next(drawing))
        except StopIteration:
            complete = True
            break
        except Exception as error:
            failure = ChildRaised.of(error).failure("drawing")
            break
        size += sum(tensor.nbytes for _, tensor in tensors_of(batch))
        items = recorder.recorded[len(looked)] if recorder and len(looked) < len(recorder.recorded) else ()
        looked.append((batch, items, _measures(batch), bad_values(batch)))
        classes += _classes(labels_or_none(labels_of, batch))
    return BatchScan(len(looked), complete, tuple(_pick(looked)), failure, tuple(classes))


def _classes(labels: Any) -> list[Any]:
    """A number for each row, or a vector of 0 and 1."""
    if not isinstance(labels, torch.Tensor) or labels.dim() not in (1, 2):
        return []
    is_vector = labels.dim() == 2 and labels.shape[1] > 1 and bool(((labels == 0) | (labels == 1)).all())
    return labels.tolist() if is_vector or (labels.dim() == 1 and _is_whole(labels)) else []


def _pick(looked: Sequence[Candidate]) -> Iterator[PickedBatch]:
    """The first that is not finite, the second of all, and the extremes; the first batch is run anyway."""
    wanted = dict.fromkeys(_first_bad(looked), "a value in it is not finite")
    wanted |= {1: "the one after the first"} if len(looked) > 1 and 1 not in wanted else {}
    for number, why in _extremes([measures for _, _, measures, _ in looked]):
        wanted.setdefault(number, why)
    for number, why in list(wanted.items())[:PICKED]:
        batch, items, _, bad = looked[number]
        yield PickedBatch(f"batch {number}", why, batch, tuple(items), bad)


def _first_bad(looked: Sequence[Candidate]) -> list[int]:
    return [number for number, (_, _, _, bad) in enumerate(looked) if bad and number][:1]


def _extremes(measures: Sequence[dict[str, float]]) -> Iterator[tuple[int, str]]:
    """Batches that are the first to have the fewest or the most of something, sizes before values."""
    names = dict.fromkeys(name for found in measures for name in found)
    for name in sorted(names, key=lambda name: "value" in name):
        own = [(found[name], number) for number, found in enumerate(measures) if name in found]
        low, high = min(own)[0], max(own)[0]
        for bound, word in ((low, "smallest"), (high, "largest")):
            number = next(number for value, number in own if value == bound)
            if low < high and number:
                yield number, f"the {word} {name}"


def _measures(batch: Any) -> dict[str, float]:
    found: dict[str, float] = {}
    for name, tensor in tensors_of(batch):
        found[f"size of {name}"] = tensor.numel()
        if tensor.dim():
            found[f"number of rows of {name}"] = len(tensor)
        if _is_whole(tensor) and tensor.numel():
            found[f"value of {name}"] = int(tensor.max())
            found[f"number of values of {name} that are not negative"] = int((tensor >= 0).sum())
    return found


def _is_whole(tensor: torch.Tensor) -> bool:
    return tensor.layout is torch.strided and not tensor.is_floating_point() and not tensor.is_complex()


def bad_values(batch: Any) -> tuple[BadValues, ...]:
    """Every tensor of the batch with NaN or Inf in it, at the first such row. A mask of 0 and -Inf is fine."""
    return tuple(bad for name, tensor in tensors_of(batch) if (bad := _bad_values(name, tensor)))


def _bad_values(name: str, tensor: torch.Tensor) -> BadValues | None:
    dense = tensor.layout is torch.strided and tensor.is_floating_point()
    if not dense or is_finite(tensor) or is_mask(tensor):
        return None
    bad = ~torch.isfinite(tensor)
    rows = bad.reshape(len(bad), -1).any(1) if bad.dim() else None
    row = None if rows is None else int(rows.long().argmax())
    return BadValues(name, row, int(bad.sum()), tensor.numel())
