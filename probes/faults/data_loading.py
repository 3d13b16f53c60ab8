"""Faults of datasets, collators and loaders."""

from collections.abc import Callable
from typing import Any

from diagnose import fault
from probes.faults.changes import Facts, loader
from probes.faults.data_changes import SPEECH


def with_items(facts: Facts, change: Callable[[int, Any], Any], **how: Any) -> Facts:
    """The facts with a dataset whose items were changed, and a loader over it."""
    inner = facts["train_dataset"]

    class Changed:
        def __len__(self) -> int:
            return len(inner)

        def __getitem__(self, number: int) -> Any:
            return change(number, inner[number])

    dataset: Any = Changed()
    return {**facts, "train_dataset": dataset, "train_batches": loader(facts, dataset, **how)}


def _audio(facts: Facts, number: int = 0) -> Any:
    return facts["train_dataset"][number]["audio"]


@fault(
    "rate_not_resampled",
    "clips of 8 kHz are given to a model of 16 kHz",
    "DAT011",
    lambda f: f["train_dataset"][0]["sample_rate"] == 8000,
    ("whisper",),
)
def rate_not_resampled(facts: Facts) -> Facts:
    return with_items(facts, lambda _, item: {**item, "audio": item["audio"][::2], "sample_rate": 8000})


@fault(
    "integers_not_scaled",
    "samples are 16-bit integers that nobody divided",
    "DAT015",
    lambda f: abs(_audio(f)).max() > 1000,
    SPEECH,
)
def integers_not_scaled(facts: Facts) -> Facts:
    return with_items(facts, lambda _, item: {**item, "audio": item["audio"] * 32768})


def _raise(number: int, item: Any) -> Any:
    if number % 8 == 3:
        raise OSError("the disk is gone")
    return item


def _raises(facts: Facts) -> bool:
    try:
        facts["train_dataset"][3]
    except OSError:
        return True
    return False


@fault("item_raises", "the dataset raises at every eighth row", "DAT022", _raises, ("whisper", "e2e", "hybrid"))
def item_raises(facts: Facts) -> Facts:
    broken = with_items(facts, _raise)
    return {**broken, "train_batches": [facts["collate"]([facts["train_dataset"][n] for n in (0, 1, 2, 4)])]}


@fault(
    "channel_axis_kept",
    "the waveform has an axis for its single channel",
    "DAT012",
    lambda f: _audio(f).ndim == 2,
    SPEECH,
)
def channel_axis_kept(facts: Facts) -> Facts:
    return with_items(facts, lambda _, item: {**item, "audio": item["audio"][None, :]})


def _makes_nan(facts: Facts) -> bool:
    item = facts["train_dataset"][0]
    return bool(facts["collate"]([{**item, "audio": item["audio"] * 0}])["input_values"].isnan().any())


@fault("normaliser_without_eps", "the collator divides by the plain standard deviation", "DAT019", _makes_nan, ("e2e",))
def normaliser_without_eps(facts: Facts) -> Facts:
    def collate(items: list[Any]) -> Any:
        batch = facts["collate"](items)
        for number, row in enumerate(batch["input_values"]):  # an item may come once for each task
            row *= 1.0 if items[number % len(items)]["audio"].any() else float("nan")  # what 0 / 0 gives
        return batch

    silent = with_items(facts, lambda number, item: {**item, "audio": item["audio"] * (number != 3)})
    return {**silent, "collate": collate, "train_batches": loader(silent, collate=collate)}


def _in_order(facts: Facts) -> bool:
    batches = facts["train_batches"]
    named = getattr(batches, "batch_size", None) is not None  # else the order is a batch sampler's affair
    return named and type(getattr(batches, "sampler", None)).__name__ == "SequentialSampler"


@fault(
    "order_kept",
    "the loader does not shuffle",
    "DAT044",
    _in_order,
)
def order_kept(facts: Facts) -> Facts:
    return {**facts, "train_batches": loader(facts, shuffle=False)}


def _noisy(facts: Facts, workers: int) -> Facts:
    import numpy as np

    chance = np.random.default_rng(0)

    def change(_: int, item: Any) -> Any:
        noise = chance.normal(0, 0.01, len(item["audio"])).astype("float32")
        return {**item, "audio": item["audio"] + noise}

    return with_items(facts, change, num_workers=workers)


@fault(
    "generator_copied",
    "the dataset holds a numpy generator, which every worker copies",
    "DAT045",
    lambda f: getattr(f["train_batches"], "num_workers", 0) == 2 and (_audio(f) != _audio(f)).any(),
    SPEECH,
)
def generator_copied(facts: Facts) -> Facts:
    return _noisy(facts, 2)


@fault(
    "generator_never_seeded",
    "the dataset's numpy generator starts anew in every epoch",
    "DAT046",
    lambda f: getattr(f["train_batches"], "num_workers", 0) == 1 and (_audio(f) != _audio(f)).any(),
    SPEECH,
)
def generator_never_seeded(facts: Facts) -> Facts:
    return _noisy(facts, 1)
