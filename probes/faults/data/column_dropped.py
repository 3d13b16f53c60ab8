from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault, texts


@corpus_fault("the evaluation rows lost their transcript", "DAT031", lambda f: not any(texts(f, "eval")))
def column_dropped(corpus: Facts) -> Facts:
    for row in corpus["eval_rows"]:
        del row["transcript"]
    return corpus
