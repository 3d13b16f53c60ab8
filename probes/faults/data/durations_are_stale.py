from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, with_rows


@fault(
    "durations in the manifest are of clips that were cut since",
    "DAT009",
    in_corpus(lambda f: float(f["train_rows"][5]["duration"]) > 2),
    SPEECH,
)
def durations_are_stale(facts: Facts) -> Facts:
    return with_rows(facts, lambda train, _: train[5].update(duration="3.217"))
