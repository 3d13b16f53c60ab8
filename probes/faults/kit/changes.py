"""Small changes that faults are made of: another collator, another output of a module."""

from collections.abc import Callable
from typing import Any

from probes.faults.kit.model_parts import Facts, encoder_of, label_key

__all__ = ["Facts", "encoder_of", "label_key"]

SEQUENCES = ("whisper", "e2e", "hybrid", "mt5")
SPEECH = ("whisper", "e2e", "hybrid")
HF_MODELS = ("whisper", "e2e", "mt5")
TORCH_MODELS = ("hybrid", "classifier")
CLASSIFIER = ("classifier",)


class ChangedDataset:
    """Batches that are changed whenever they are drawn."""

    def __init__(self, batches: Any, change: Callable[[Any], Any]) -> None:
        self.batches, self.change = batches, change

    def __iter__(self) -> Any:
        return map(self.change, self.batches)


def with_batches(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """The facts with a collator that changes every batch, and loaders that use it."""
    if "collate" not in facts or "train_dataset" not in facts:
        return {**facts, "train_batches": ChangedDataset(facts["train_batches"], change)}

    def collate(items: list[Any]) -> Any:
        return change(facts["collate"](items))

    collate.before = facts["collate"]  # type: ignore[attr-defined]
    return {**facts, "collate": collate, "train_batches": loader(facts, collate=collate)}


def loader(facts: Facts, dataset: Any = None, collate: Any = None, shuffle: bool = True, **more: Any) -> Any:
    """A loader like the subject's own, over another dataset or with another collator."""
    from torch.utils.data import DataLoader

    usual = facts.get("train_batches")
    size = getattr(usual, "batch_size", None) or getattr(getattr(usual, "batch_sampler", None), "batch_size", 4)
    how = {"batch_size": size, "shuffle": shuffle, "collate_fn": collate or facts["collate"], **more}
    return DataLoader(dataset if dataset is not None else facts["train_dataset"], **how)


def eval_rows(facts: Facts) -> Any:
    """The rows that the evaluation reads."""
    return getattr(facts.get("eval_batches"), "dataset", facts["train_dataset"])


def eval_loader(facts: Facts) -> Any:
    """The evaluation's loader with the collator of these facts, over the rows it had."""
    return loader(facts, eval_rows(facts), shuffle=False)


def batch_of(facts: Facts, rows: int = 4) -> Any:
    """The first items, collated; of a subject that has batches alone, the first of them."""
    import torch

    if "collate" in facts and "train_dataset" in facts:
        return collate_rows(facts, *range(rows))
    with torch.random.fork_rng(devices=[]):  # the same one each time, in whatever order they come
        torch.manual_seed(0)
        return next(iter(facts["train_batches"]))


def collate_rows(facts: Facts, *rows: int) -> Any:
    """The items of these rows, collated."""
    return facts["collate"]([facts["train_dataset"][row] for row in rows])


def with_dataset(facts: Facts, dataset: Any, **how: Any) -> Facts:
    """The facts with another dataset, and a loader over it."""
    return {**facts, "train_dataset": dataset, "train_batches": loader(facts, dataset, **how)}


def with_labels(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """The facts with other labels, under whatever key the batches have them."""
    return with_batches(facts, lambda batch: {**batch, label_key(batch): change(batch[label_key(batch)])})


def before_and_after(facts: Facts) -> tuple[Any, Any] | None:
    """The first items as they were collated and as they are; None where the collator was not changed."""
    if isinstance(facts.get("train_batches"), ChangedDataset):
        return batch_of({"train_batches": facts["train_batches"].batches}), batch_of(facts)
    before = getattr(facts.get("collate"), "before", None)
    return None if before is None else (batch_of({**facts, "collate": before}), batch_of(facts))


def labels_changed(facts: Facts, test: Callable[[Any, Any], Any]) -> bool:
    """Whether a test of labels before and after holds; never where nothing was changed."""
    pair = before_and_after(facts)
    return pair is not None and bool(test(*(batch[label_key(batch)] for batch in pair)))


def first_labels(facts: Facts) -> Any:
    batch = batch_of(facts)
    return batch[label_key(batch)]


def with_targets(facts: Facts, change: Callable[[Any], Any]) -> Facts:
    """The facts with labels of another length, and the length beside them where batches hold it."""
    return with_batches(facts, lambda batch: replace_labels(batch, change(batch[label_key(batch)])))


def with_target_rows(facts: Facts, change: Callable[[list[int]], list[int]]) -> Facts:
    """The facts with labels in which each row's scored ids are changed."""
    return with_targets(facts, lambda labels: by_row(labels, change))


def replace_labels(batch: Any, labels: Any) -> Any:
    """The batch with these labels, and their length where it holds one."""
    lengths = {"tok_lens": (labels != -100).sum(1)} if "tok_lens" in batch else {}
    return {**batch, label_key(batch): labels, **lengths}


def by_row(labels: Any, change: Callable[[list[int]], list[int]]) -> Any:
    """Labels in which each row's scored ids are changed, padded with -100 again."""
    import torch

    rows = [torch.tensor(change([token for token in row if token >= 0])) for row in labels.tolist()]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=-100)


def lacks_end(facts: Facts) -> bool:
    """Whether no label is the end token."""
    return not bool((first_labels(facts) == facts["tokenizer"].eos_token_id).any())


def begins_with_start(facts: Facts) -> bool:
    """Whether all labels begin with the decoder's start token."""
    return bool((first_labels(facts)[:, 0] == start_of(facts)).all())


def start_of(facts: Facts) -> int:
    """The token that the model puts before the labels."""
    return facts["model"].config.decoder_start_token_id


def drop_keys(values: Any, *names: str) -> dict[str, Any]:
    """Facts, or a batch, without these."""
    return {name: value for name, value in values.items() if name not in names}
