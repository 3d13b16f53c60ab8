from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault, leak_sentences, texts


@corpus_fault(
    "evaluation has the sentences of training", "DAT036", lambda f: not set(texts(f)).isdisjoint(texts(f, "eval"))
)
def sentences_leaked(corpus: Facts) -> Facts:
    return leak_sentences(corpus)
