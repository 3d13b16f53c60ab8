from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, with_rows


@fault(
    "rows of a training video are in the evaluation set",
    "DAT038",
    in_corpus(lambda f: f["eval_rows"][0]["video_id"] == f["train_rows"][0]["video_id"]),
    SPEECH,
)
def video_leaked(facts: Facts) -> Facts:
    return with_rows(facts, lambda train, evaluation: evaluation[0].update(video_id=train[0]["video_id"]))
