from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, samples, with_samples


@fault("a clip holds zeros", "DAT018", in_corpus(lambda f: not samples(f).any()), SPEECH)
def clip_silenced(facts: Facts) -> Facts:
    return with_samples(facts, lambda clip: 0 * clip)
