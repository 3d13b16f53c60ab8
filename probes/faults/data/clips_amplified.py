from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, samples, with_samples


@fault(
    "clips were amplified beyond full scale", "DAT016", in_corpus(lambda f: (samples(f) > 0.89).mean() > 0.1), SPEECH
)
def clips_amplified(facts: Facts) -> Facts:
    return with_samples(facts, lambda clip: (clip * 1.5 / (abs(clip).mean() + 1e-9)).clip(-0.9, 0.9), rows=20)
