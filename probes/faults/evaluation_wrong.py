"""Faults of evaluating: the mode, the rows, the metric function."""

from typing import Any

from diagnose import fault
from diagnose.facts import NotApplicable
from probes.faults.changes import SEQUENCES, Facts, label_key, loader, mode_matters


def named(facts: Facts, fact: str) -> str:
    return getattr(facts.get(fact), "__name__", "")


@fault(
    id="evaluation_unfinished",
    breaks="evaluate asks for a figure that nobody computes",
    named_by="GEN011",
    proof=lambda facts: named(facts, "evaluate") == "unfinished",
)
def evaluation_unfinished(facts: Facts) -> Facts:
    whole = facts["evaluate"]

    def unfinished() -> dict[str, float]:
        return {"best": whole()["eval_best"]}

    return {**facts, "evaluate": unfinished}


@fault(
    id="evaluation_while_training",
    breaks="evaluate leaves the model in training mode",
    named_by="GEN012",
    proof=lambda facts: named(facts, "evaluate") == "training",
)
def evaluation_while_training(facts: Facts) -> Facts:
    model, compute = facts["model"], facts["compute_metrics"]
    if not mode_matters(facts):
        raise NotApplicable("it has no dropout and no batch norm: training mode changes nothing")

    def training() -> dict[str, float]:
        import torch

        batch = facts["collate"]([facts["train_dataset"][number] for number in range(2)])
        with torch.no_grad():
            if "generate" not in facts:
                return compute(model(batch[0]), batch[1])
            labels = facts.get("labels_of", lambda one: one["labels"])(batch)
            return compute(facts["generate"](model, batch), labels)

    return {**facts, "evaluate": training}


@fault(
    id="evaluation_of_other_rows",
    breaks="evaluate looks at rows that it draws anew each time",
    named_by="GEN013",
    proof=lambda facts: named(facts, "evaluate") == "drawn",
    applies_to=("classifier",),
)
def evaluation_of_other_rows(facts: Facts) -> Facts:
    def drawn() -> dict[str, float]:
        import torch

        model, rows = facts["model"].eval(), torch.randperm(60)[:7].tolist()
        x, y = facts["collate"]([facts["train_dataset"][number] for number in rows])
        with torch.no_grad():
            return {"loss": float(facts["compute_loss"](model, (x, y)))}

    return {**facts, "evaluate": drawn}


@fault(
    id="minus_100_decoded",
    breaks="the metric function decodes -100 as if it were a token",
    named_by="GEN014",
    proof=lambda facts: named(facts, "compute_metrics") == "decoding",
    applies_to=SEQUENCES,
)
def minus_100_decoded(facts: Facts) -> Facts:
    words = facts["tokenizer"]

    def decoding(predictions: Any, labels: Any) -> dict[str, float]:
        said, wanted = (words.batch_decode(ids, skip_special_tokens=True) for ids in (predictions, labels))
        return {"exact": sum(map(str.__eq__, said, wanted)) / len(said)}

    return {**facts, "compute_metrics": decoding}


@fault(
    id="metric_of_another_shape",
    breaks="the metric function takes the classes from an axis that is not there",
    named_by="GEN014",
    proof=lambda facts: named(facts, "compute_metrics") == "third_axis",
    applies_to=("classifier",),
)
def metric_of_another_shape(facts: Facts) -> Facts:
    def third_axis(predictions: Any, labels: Any) -> dict[str, float]:
        return {"accuracy": float((predictions.argmax(2) == labels).mean())}

    return {**facts, "compute_metrics": third_axis}


@fault(
    id="metric_compares_other_rows",
    breaks="the metric function compares each prediction with the labels of the next row",
    named_by="GEN015",
    proof=lambda facts: named(facts, "compute_metrics") == "shifted",
)
def metric_compares_other_rows(facts: Facts) -> Facts:
    right = facts["compute_metrics"]

    def shifted(predictions: Any, labels: Any) -> dict[str, float]:
        import numpy as np

        return right(predictions, np.roll(np.asarray(labels), 1, axis=0))

    return {**facts, "compute_metrics": shifted}


TEXTS = ("transcript", "translation", "summary")


class Written:
    """Items whose texts begin with a capital letter and end with a full stop."""

    def __init__(self, items: Any) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Any:
        item = self.items[index]
        return {**item, **{name: item[name].capitalize() + "." for name in TEXTS if isinstance(item.get(name), str)}}


@fault(
    id="metric_reads_punctuation",
    breaks="texts are written with case and full stops, and the metric wants every sign of them",
    named_by="GEN016",
    proof=lambda facts: named(facts, "compute_metrics") == "exact",
    applies_to=SEQUENCES,
)
def metric_reads_punctuation(facts: Facts) -> Facts:
    decode = facts["decode"]
    items: Any = Written(facts["train_dataset"])
    batch = facts["collate"]([items[0]])
    if "." not in decode(batch[label_key(batch)])[0]:
        raise NotApplicable("its tokenizer does not spell full stops")

    def exact(predictions: Any, labels: Any) -> dict[str, float]:
        said, wanted = decode(predictions), decode(labels)
        return {"exact": sum(map(str.__eq__, said, wanted)) / len(said)}

    loaders: Facts = {f"{name}_batches": loader(facts, items, shuffle=name == "train") for name in ("train", "eval")}
    return {**facts, **loaders, "train_dataset": items, "compute_metrics": exact}
