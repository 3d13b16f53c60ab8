from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, Rows, in_corpus, texts, with_rows


def _capitals(train: Rows, evaluation: Rows) -> None:
    for row in evaluation:
        row["transcript"] = row["transcript"].title()


@fault(
    "evaluation texts have capitals, training texts have none",
    "DAT050",
    in_corpus(lambda f: all(text.istitle() for text in texts(f, "eval"))),
    SPEECH,
)
def evaluation_in_capitals(facts: Facts) -> Facts:
    corpus = with_rows(facts, _capitals)
    for row in corpus["train_rows"]:
        row["transcript"] = row["transcript"].lower()
    return corpus
