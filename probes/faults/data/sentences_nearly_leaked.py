from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault, leak_sentences, texts


@corpus_fault(
    "evaluation has the sentences of training with a word more",
    "DAT037",
    lambda f: sum(text.endswith(" ạ") for text in texts(f, "eval")) > 5,
)
def sentences_nearly_leaked(corpus: Facts) -> Facts:
    return leak_sentences(corpus, " ạ")
