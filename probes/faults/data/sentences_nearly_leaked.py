from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, leaking, texts, with_rows


@fault(
    "evaluation has the sentences of training with a word more",
    "DAT037",
    in_corpus(lambda f: sum(text.endswith(" ạ") for text in texts(f, "eval")) > 5),
    SPEECH,
)
def sentences_nearly_leaked(facts: Facts) -> Facts:
    return with_rows(facts, leaking(" ạ"))
