from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, Rows, in_corpus, texts, with_rows


def _drop(train: Rows, evaluation: Rows) -> None:
    for row in evaluation:
        del row["transcript"]


@fault("the evaluation rows lost their transcript", "DAT031", in_corpus(lambda f: not any(texts(f, "eval"))), SPEECH)
def column_dropped(facts: Facts) -> Facts:
    return with_rows(facts, _drop)
