"""Faults of features and of class labels."""

from typing import Any

from diagnose import fault
from probes.faults.changes import Facts, with_batches

CLASSIFIER = ("classifier",)


def _pixels(batch: Any) -> Any:
    return [batch[0] * 70 + 120, batch[1]]


@fault("features_raw", "the features are not normalised", "DAT047", lambda f: _first(f)[0].mean() > 50, CLASSIFIER)
def features_raw(facts: Facts) -> Facts:
    from torch.utils.data import DataLoader

    changed = with_batches(facts, _pixels)
    return {**changed, "eval_batches": DataLoader(facts["train_dataset"], batch_size=4, collate_fn=changed["collate"])}


def _first(facts: Facts) -> Any:
    return next(iter(facts["train_batches"]))


@fault(
    "evaluation_scaled",
    "evaluation scales its features, training does not",
    "DAT049",
    lambda f: next(iter(f["eval_batches"]))[0].std() > 4,
    CLASSIFIER,
)
def evaluation_scaled(facts: Facts) -> Facts:
    from torch.utils.data import DataLoader

    def collate(items: list[Any]) -> Any:
        x, y = facts["collate"](items)
        return [x * 5, y]

    return {**facts, "eval_batches": DataLoader(facts["train_dataset"], batch_size=4, collate_fn=collate)}


def _sets(facts: Facts) -> tuple[Any, Any]:
    return facts["train_dataset"].tensors


@fault(
    "statistics_of_all",
    "mean and scale were fitted on training and evaluation together",
    "DAT048",
    lambda f: "eval_dataset" in f,
    CLASSIFIER,
)
def statistics_of_all(facts: Facts) -> Facts:
    from torch.utils.data import DataLoader, TensorDataset

    x, y = _sets(facts)
    x = (x - x.mean(0)) / x.std(0, correction=0)
    train, evaluation = TensorDataset(x[:40], y[:40]), TensorDataset(x[40:], y[40:])
    loaders = {
        name: DataLoader(one, batch_size=4, shuffle=True) for name, one in (("train", train), ("eval", evaluation))
    }
    more = {"train_batches": loaders["train"], "eval_batches": loaders["eval"]}
    return {**facts, "train_dataset": train, "eval_dataset": evaluation, **more}


def _with_labels(facts: Facts, labels: Any) -> Facts:
    from torch.utils.data import DataLoader, TensorDataset

    dataset = TensorDataset(_sets(facts)[0], labels)
    return {**facts, "train_dataset": dataset, "train_batches": DataLoader(dataset, batch_size=4, shuffle=True)}


@fault("classes_from_one", "class labels count from one", "DAT043", lambda f: int(_sets(f)[1].min()) == 1, CLASSIFIER)
def classes_from_one(facts: Facts) -> Facts:
    return _with_labels(facts, _sets(facts)[1] + 1)


@fault("classes_one_hot", "class labels are one-hot vectors", "DAT042", lambda f: _sets(f)[1].dim() == 2, CLASSIFIER)
def classes_one_hot(facts: Facts) -> Facts:
    import torch

    return _with_labels(facts, torch.eye(5, dtype=torch.long)[_sets(facts)[1]])


@fault(
    "one_class_rules",
    "57 of 60 items are of one class",
    "DAT041",
    lambda f: int((_sets(f)[1] == 0).sum()) == 57,
    CLASSIFIER,
)
def one_class_rules(facts: Facts) -> Facts:
    import torch

    return _with_labels(facts, (torch.arange(60) > 56).long())
