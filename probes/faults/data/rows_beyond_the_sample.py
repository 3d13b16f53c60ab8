from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import corpus_fault


@corpus_fault("a sample of ten rows", "DAT052", lambda f: f.get("data_sample_size") == 10)
def rows_beyond_the_sample(corpus: Facts) -> Facts:
    return {**corpus, "data_sample_size": 10}
