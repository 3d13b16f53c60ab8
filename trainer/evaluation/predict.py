"""What a model says to every row of a dataset, beside what it should have said."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from diagnose.common.progress import progress

if TYPE_CHECKING:
    from torch import Tensor, nn

    from trainer.models.bundle import ModelBundle

TEXT_OF = {"transcribe": "transcript", "translate": "translation", "summarize": "summary"}


class Dataset(Protocol):
    """Rows by number."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class Prediction:
    """One row: the file (or the place of a document), the task, what was expected, what was said."""

    file: str
    task: str
    reference: str
    prediction: str


@dataclass(frozen=True)
class Predictions:
    """All rows, grouped by task, and how long the model took."""

    rows: tuple[Prediction, ...]
    clips: int
    seconds: float
    audio_seconds: float


def predict(parts: "ModelBundle", dataset: Dataset, batch_size: int) -> Predictions:
    """Every row, in batches of similar length; the order of the rows is that of the dataset."""
    found: dict[tuple[str, int], Prediction] = {}
    seconds = audio_seconds = 0.0
    with _evaluating(parts.model), progress("evaluation", len(dataset)) as advance:
        for indices in _by_length(dataset, batch_size):
            items = [dataset[index] for index in indices]
            started = time.perf_counter()
            rows = _predict_batch(parts, items)
            seconds += time.perf_counter() - started
            audio_seconds += sum(float(item.get("duration", 0.0)) for item in items)
            found |= {(row.task, indices[place % len(indices)]): row for place, row in enumerate(rows)}
            advance(len(items))
    tasks = list(dict.fromkeys(task for task, _ in found))
    ordered = sorted(found, key=lambda key: (tasks.index(key[0]), key[1]))
    return Predictions(tuple(found[key] for key in ordered), len(dataset), seconds, audio_seconds)


def _predict_batch(parts: "ModelBundle", items: Sequence[Mapping[str, Any]]) -> list[Prediction]:
    """Rows as the collator lays them: with two tasks, all clips for the first one, then all for the second."""
    batch = _on_device(parts.collate(items), parts.model)
    said = parts.decode(parts.generate(parts.model, batch))
    rows = []
    for place, (task, text) in enumerate(zip(parts.tasks_of(batch), said, strict=True)):
        item = items[place % len(items)]
        rows.append(Prediction(str(item.get("audio_path") or item["id"]), task, item[TEXT_OF[task]], text))
    return rows


def _by_length(dataset: Dataset, batch_size: int) -> list[list[int]]:
    lengths = dataset.lengths() if hasattr(dataset, "lengths") else [0.0] * len(dataset)
    order = sorted(range(len(dataset)), key=lambda index: (-lengths[index], index))
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


def _on_device(batch: Mapping[str, "Tensor"], model: "nn.Module") -> dict[str, "Tensor"]:
    device = next(model.parameters()).device
    return {name: tensor.to(device) for name, tensor in batch.items()}


@contextmanager
def _evaluating(model: "nn.Module") -> Iterator[None]:
    """Without dropout and gradients; afterwards every module is in the mode it was in."""
    import torch

    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        for module, mode in modes.items():
            module.training = mode
