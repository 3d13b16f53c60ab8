from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault, texts


@corpus_fault("texts were sorted and the audio was not", "DAT040", lambda f: texts(f) == sorted(texts(f)))
def texts_sorted(corpus: Facts) -> Facts:
    for row, text in zip(corpus["train_rows"], sorted(texts(corpus)), strict=True):
        row["transcript"] = text
    return corpus
