from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, leaking, texts, with_rows


@fault(
    "evaluation has the sentences of training",
    "DAT036",
    in_corpus(lambda f: not set(texts(f)).isdisjoint(texts(f, "eval"))),
    SPEECH,
)
def sentences_leaked(facts: Facts) -> Facts:
    return with_rows(facts, leaking(""))
