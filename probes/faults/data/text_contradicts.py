from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, paths_of, with_corpus


@fault(
    "a clip stands in the manifest with two texts",
    "DAT033",
    in_corpus(lambda f: len(paths_of(f)) == len(f["train_rows"]) - 1),
    SPEECH,
)
def text_contradicts(facts: Facts) -> Facts:
    corpus = with_corpus(facts)
    return {**corpus, "train_rows": [*corpus["train_rows"], {**corpus["train_rows"][3], "transcript": "cô giáo hát"}]}
