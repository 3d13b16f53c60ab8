from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_row, change_samples, corpus_fault, samples


@corpus_fault("a clip was cut to 160 samples", "DAT020", lambda f: len(samples(f)) == 160)
def clip_of_ten_milliseconds(corpus: Facts) -> Facts:
    return change_row(change_samples(corpus, lambda clip: clip[:160]), duration="0.010")
