from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_samples, corpus_fault, samples


@corpus_fault("a clip holds zeros", "DAT018", lambda f: not samples(f).any())
def clip_silenced(corpus: Facts) -> Facts:
    return change_samples(corpus, lambda clip: 0 * clip)
