from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_row, corpus_fault, text_of


@corpus_fault("a row lost its text", "DAT002", lambda f: not text_of(f))
def text_emptied(corpus: Facts) -> Facts:
    return change_row(corpus, transcript="")
