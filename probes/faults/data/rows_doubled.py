from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, paths_of, with_corpus


@fault(
    "ten rows stand in the manifest twice",
    "DAT032",
    in_corpus(lambda f: len(paths_of(f)) == len(f["train_rows"]) - 10),
    SPEECH,
)
def rows_doubled(facts: Facts) -> Facts:
    corpus = with_corpus(facts)
    return {**corpus, "train_rows": corpus["train_rows"] + corpus["train_rows"][:10]}
