from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_row, corpus_fault


@corpus_fault(
    "durations in the manifest are of clips that were cut since",
    "DAT009",
    lambda f: float(f["train_rows"][5]["duration"]) > 2,
)
def durations_are_stale(corpus: Facts) -> Facts:
    return change_row(corpus, duration="3.217")
