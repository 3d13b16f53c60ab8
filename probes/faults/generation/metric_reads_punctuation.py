from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import SEQUENCES, Facts, collate_rows, eval_rows, label_key, loader
from probes.faults.kit.evaluation_changes import exact_match, is_replaced, some_labels, with_function
from probes.faults.kit.item_changes import with_items

TEXTS = ("transcript", "translation", "summary")


def _punctuate(_: int, item: Any) -> Any:
    """The item, whose texts begin with a capital letter and end with a full stop."""
    return {**item, **{name: item[name].capitalize() + "." for name in TEXTS if isinstance(item.get(name), str)}}


def _reads_punctuation(facts: Facts) -> bool:
    """The same words without their case and full stops are wrong to it."""
    plain, labels = some_labels({**facts, "train_dataset": facts["train_dataset"].items}), some_labels(facts)
    return facts["compute_metrics"](plain, labels)["exact"] < facts["compute_metrics"](labels, labels)["exact"]


@fault(
    "texts are written with case and full stops, and the metric wants every sign of them",
    "GEN016",
    lambda facts: is_replaced(facts, "compute_metrics") and _reads_punctuation(facts),
    SEQUENCES,
)
def metric_reads_punctuation(facts: Facts) -> Facts:
    changed = with_items(facts, _punctuate)
    batch = collate_rows(changed, 0)
    if "." not in facts["decode"](batch[label_key(batch)])[0]:
        raise NotApplicable("its tokenizer does not spell full stops")
    rows = with_items({**facts, "train_dataset": eval_rows(facts)}, _punctuate)["train_dataset"]
    changed["eval_batches"] = loader(changed, rows, shuffle=False)
    return with_function(changed, "compute_metrics", exact_match(facts["decode"]))
