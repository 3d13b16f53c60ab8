from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault


@corpus_fault(
    "rows of a training video are in the evaluation set",
    "DAT038",
    lambda f: f["eval_rows"][0]["video_id"] == f["train_rows"][0]["video_id"],
)
def video_leaked(corpus: Facts) -> Facts:
    corpus["eval_rows"][0]["video_id"] = corpus["train_rows"][0]["video_id"]
    return corpus
