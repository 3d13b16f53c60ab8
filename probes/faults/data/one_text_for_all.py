from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault, texts


@corpus_fault("every row has the same text", "DAT055", lambda f: len(set(texts(f))) == 1)
def one_text_for_all(corpus: Facts) -> Facts:
    return {**corpus, "train_rows": [{**row, "transcript": "mẹ mua cá ở chợ"} for row in corpus["train_rows"]]}
