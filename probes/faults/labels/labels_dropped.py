from diagnose import fault
from probes.faults.kit.changes import Facts, with_batches

MODELS = ("whisper", "e2e", "mt5")


def _holds(facts: Facts, *names: str) -> bool:
    batch = facts["collate"]([facts["train_dataset"][0]])
    return any(name in batch for name in names)


@fault("the collator returns no labels", "LAB032", lambda f: not _holds(f, "labels"), MODELS)
def labels_dropped(facts: Facts) -> Facts:
    return with_batches(facts, lambda batch: {name: value for name, value in batch.items() if name != "labels"})
