from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts, collate_rows, drop_keys, with_batches


@fault("the collator returns no labels", "LAB032", lambda f: "labels" not in collate_rows(f, 0), HF_MODELS)
def labels_dropped(facts: Facts) -> Facts:
    return with_batches(facts, lambda batch: drop_keys(batch, "labels"))
