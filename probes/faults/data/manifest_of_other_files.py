from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, with_corpus


@fault(
    "the manifest gives the sample rate of other files",
    "DAT014",
    in_corpus(lambda f: f["train_rows"][0].get("sample_rate") == "44100"),
    SPEECH,
)
def manifest_of_other_files(facts: Facts) -> Facts:
    corpus = with_corpus(facts)
    return {**corpus, "train_rows": [{**row, "sample_rate": "44100"} for row in corpus["train_rows"]]}
