from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault


@corpus_fault(
    "one speaker is on both sides, and nothing else tells them apart",
    "DAT039",
    lambda f: f["eval_rows"][0]["speaker_id"] == "lan",
)
def speaker_leaked(corpus: Facts) -> Facts:
    for row in (*corpus["train_rows"], *corpus["eval_rows"]):
        del row["video_id"]
        row["speaker_id"] = "lan"
    return corpus
