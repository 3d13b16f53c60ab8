from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, samples, with_samples


@fault("a clip was cut to 160 samples", "DAT020", in_corpus(lambda f: len(samples(f)) == 160), SPEECH)
def clip_of_ten_milliseconds(facts: Facts) -> Facts:
    corpus = with_samples(facts, lambda clip: clip[:160])
    corpus["train_rows"][5]["duration"] = "0.010"
    return corpus
