from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault


@corpus_fault(
    "all rows but one are of one class",
    "DAT053",
    lambda f: sum(row.get("emotion") == "glad" for row in f["train_rows"]) == len(f["train_rows"]) - 1,
)
def one_emotion_rules(corpus: Facts) -> Facts:
    rows = [{**row, "emotion": "glad" if number else "sad"} for number, row in enumerate(corpus["train_rows"])]
    return {**corpus, "train_rows": rows}
