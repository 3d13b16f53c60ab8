from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_samples, corpus_fault, samples


@corpus_fault("clips were amplified beyond full scale", "DAT016", lambda f: (samples(f) > 0.89).mean() > 0.1)
def clips_amplified(corpus: Facts) -> Facts:
    return change_samples(corpus, lambda clip: (clip * 1.5 / (abs(clip).mean() + 1e-9)).clip(-0.9, 0.9), rows=20)
