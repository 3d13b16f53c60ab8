from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_samples, corpus_fault, samples


@corpus_fault(
    "one channel is the inverse of the other",
    "DAT013",
    lambda f: samples(f).shape[1] == 2 and bool(samples(f)[:, 0].any()),
)
def channels_opposed(corpus: Facts) -> Facts:
    import numpy as np

    return change_samples(corpus, lambda clip: np.stack([clip, -clip], axis=1))
