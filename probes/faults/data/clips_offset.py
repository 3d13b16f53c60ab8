from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, samples, with_samples


@fault("a constant was added to the samples", "DAT017", in_corpus(lambda f: samples(f).mean() > 0.2), SPEECH)
def clips_offset(facts: Facts) -> Facts:
    return with_samples(facts, lambda clip: clip + 0.3, rows=20)
