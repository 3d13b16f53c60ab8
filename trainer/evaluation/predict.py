"""Predictions of a model for every row of a dataset, with the references."""

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


class RowDataset(Protocol):
    """Rows by index."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class Prediction:
    """One row: the file (or the row id of a document), task, reference and prediction."""

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


def predict(bundle: "ModelBundle", dataset: RowDataset, batch_size: int) -> Predictions:
    """Predict every row, in batches of similar length; rows are in the order of the dataset."""
    found: dict[tuple[str, int], Prediction] = {}
    seconds = audio_seconds = 0.0
    with _eval_mode(bundle.model), progress("evaluation", len(dataset)) as advance:
        for indices in _by_length(dataset, batch_size):
            items = [dataset[index] for index in indices]
            started = time.perf_counter()
            rows = _predict_batch(bundle, items)
            seconds += time.perf_counter() - started
            audio_seconds += sum(float(item.get("duration", 0.0)) for item in items)
            found |= {(row.task, indices[position % len(indices)]): row for position, row in enumerate(rows)}
            advance(len(items))
    tasks = list(dict.fromkeys(task for task, _ in found))
    ordered = sorted(found, key=lambda key: (tasks.index(key[0]), key[1]))
    return Predictions(tuple(found[key] for key in ordered), len(dataset), seconds, audio_seconds)


def _predict_batch(bundle: "ModelBundle", items: Sequence[Mapping[str, Any]]) -> list[Prediction]:
    """Rows in the collator's order: with two tasks, all clips for the first one, then all for the second."""
    batch = _on_device(bundle.collate(items), bundle.model)
    texts = bundle.decode(bundle.generate(bundle.model, batch))
    rows = []
    for index, (task, text) in enumerate(zip(bundle.tasks_of(batch), texts, strict=True)):
        item = items[index % len(items)]
        rows.append(Prediction(str(item.get("audio_path") or item["id"]), task, item[TEXT_OF[task]], text))
    return rows


def _by_length(dataset: RowDataset, batch_size: int) -> list[list[int]]:
    lengths = dataset.lengths() if hasattr(dataset, "lengths") else [0.0] * len(dataset)
    order = sorted(range(len(dataset)), key=lambda index: (-lengths[index], index))
    return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]


def _on_device(batch: Mapping[str, "Tensor"], model: "nn.Module") -> dict[str, "Tensor"]:
    device = next(model.parameters()).device
    return {name: tensor.to(device) for name, tensor in batch.items()}


@contextmanager
def _eval_mode(model: "nn.Module") -> Iterator[None]:
    """Eval mode without gradients; restores the mode of every module."""
    import torch

    modes = {module: module.training for module in model.modules()}
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        for module, mode in modes.items():
            module.training = mode
