from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault, paths_of


@corpus_fault(
    "a clip stands in the manifest with two texts", "DAT033", lambda f: len(paths_of(f)) == len(f["train_rows"]) - 1
)
def text_contradicts(corpus: Facts) -> Facts:
    return {**corpus, "train_rows": [*corpus["train_rows"], {**corpus["train_rows"][3], "transcript": "cô giáo hát"}]}
