from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_samples, corpus_fault, path_of


@corpus_fault(
    "samples of 16 kHz were written with 8 kHz in the header",
    "DAT010",
    lambda f: path_of(f).read_bytes()[24:28] == (8000).to_bytes(4, "little"),
)
def headers_give_half_the_rate(corpus: Facts) -> Facts:
    return change_samples(corpus, lambda clip: clip, rows=50, rate=8000)
