from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault, paths_of


@corpus_fault("ten rows stand in the manifest twice", "DAT032", lambda f: len(paths_of(f)) == len(f["train_rows"]) - 10)
def rows_doubled(corpus: Facts) -> Facts:
    return {**corpus, "train_rows": corpus["train_rows"] + corpus["train_rows"][:10]}
