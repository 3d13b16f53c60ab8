from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_samples, corpus_fault, samples


@corpus_fault("a constant was added to the samples", "DAT017", lambda f: samples(f).mean() > 0.2)
def clips_offset(corpus: Facts) -> Facts:
    return change_samples(corpus, lambda clip: clip + 0.3, rows=20)
