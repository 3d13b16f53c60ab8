from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_samples, corpus_fault, samples


@corpus_fault(
    "the sound is in the second channel alone",
    "DAT013",
    lambda f: samples(f).shape[1] == 2 and not samples(f)[:, 0].any(),
)
def first_channel_empty(corpus: Facts) -> Facts:
    import numpy as np

    return change_samples(corpus, lambda clip: np.stack([0 * clip, clip], axis=1))
