from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, Rows, in_corpus, with_rows


def _same_speaker(train: Rows, evaluation: Rows) -> None:
    for row in (*train, *evaluation):
        del row["video_id"]
        row["speaker_id"] = "lan"


@fault(
    "one speaker is on both sides, and nothing else tells them apart",
    "DAT039",
    in_corpus(lambda f: f["eval_rows"][0]["speaker_id"] == "lan"),
    SPEECH,
)
def speaker_leaked(facts: Facts) -> Facts:
    return with_rows(facts, _same_speaker)
