from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, with_corpus


@fault(
    "all rows but one are of one class",
    "DAT053",
    in_corpus(lambda f: sum(row.get("emotion") == "glad" for row in f["train_rows"]) == len(f["train_rows"]) - 1),
    SPEECH,
)
def one_emotion_rules(facts: Facts) -> Facts:
    corpus = with_corpus(facts)
    rows = [{**row, "emotion": "glad" if number else "sad"} for number, row in enumerate(corpus["train_rows"])]
    return {**corpus, "train_rows": rows}
