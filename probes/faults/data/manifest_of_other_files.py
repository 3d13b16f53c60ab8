from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault


@corpus_fault(
    "the manifest gives the sample rate of other files",
    "DAT014",
    lambda f: f["train_rows"][0].get("sample_rate") == "44100",
)
def manifest_of_other_files(corpus: Facts) -> Facts:
    return {**corpus, "train_rows": [{**row, "sample_rate": "44100"} for row in corpus["train_rows"]]}
