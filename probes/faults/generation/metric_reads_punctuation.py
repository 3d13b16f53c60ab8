from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import SEQUENCES, Facts, label_key, loader
from probes.faults.kit.evaluation_changes import instead, replaced, some_labels

TEXTS = ("transcript", "translation", "summary")


class PunctuatedDataset:
    """Items whose texts begin with a capital letter and end with a full stop."""

    def __init__(self, items: Any) -> None:
        self.items = items

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Any:
        item = self.items[index]
        return {**item, **{name: item[name].capitalize() + "." for name in TEXTS if isinstance(item.get(name), str)}}


def _wants_every_sign(facts: Facts) -> bool:
    """The same words without their case and full stops are wrong to it."""
    plain: Any = facts["train_dataset"].items
    said, wanted = some_labels({**facts, "train_dataset": plain}), some_labels(facts)
    return facts["compute_metrics"](said, wanted)["exact"] < facts["compute_metrics"](wanted, wanted)["exact"]


@fault(
    "texts are written with case and full stops, and the metric wants every sign of them",
    "GEN016",
    lambda facts: replaced(facts, "compute_metrics") and _wants_every_sign(facts),
    SEQUENCES,
)
def metric_reads_punctuation(facts: Facts) -> Facts:
    decode = facts["decode"]
    items: Any = PunctuatedDataset(facts["train_dataset"])
    batch = facts["collate"]([items[0]])
    if "." not in decode(batch[label_key(batch)])[0]:
        raise NotApplicable("its tokenizer does not spell full stops")

    def exact(predictions: Any, labels: Any) -> dict[str, float]:
        said, wanted = decode(predictions), decode(labels)
        return {"exact": sum(map(str.__eq__, said, wanted)) / len(said)}

    loaders: Facts = {f"{name}_batches": loader(facts, items, shuffle=name == "train") for name in ("train", "eval")}
    return instead({**facts, **loaders, "train_dataset": items}, "compute_metrics", exact)
