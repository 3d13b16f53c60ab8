from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, with_corpus


@fault("a sample of ten rows", "DAT052", lambda f: f.get("data_sample_size") == 10, SPEECH)
def rows_beyond_the_sample(facts: Facts) -> Facts:
    return {**with_corpus(facts), "data_sample_size": 10}
