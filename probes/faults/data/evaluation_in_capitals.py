from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault, texts


@corpus_fault(
    "evaluation texts have capitals, training texts have none",
    "DAT050",
    lambda f: all(text.istitle() for text in texts(f, "eval")),
)
def evaluation_in_capitals(corpus: Facts) -> Facts:
    for row in corpus["eval_rows"]:
        row["transcript"] = row["transcript"].title()
    for row in corpus["train_rows"]:
        row["transcript"] = row["transcript"].lower()
    return corpus
