from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, path_of, with_samples


@fault(
    "samples of 16 kHz were written with 8 kHz in the header",
    "DAT010",
    in_corpus(lambda f: path_of(f).read_bytes()[24:28] == (8000).to_bytes(4, "little")),
    SPEECH,
)
def headers_give_half_the_rate(facts: Facts) -> Facts:
    return with_samples(facts, lambda clip: clip, rows=50, rate=8000)
