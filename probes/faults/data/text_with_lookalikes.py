from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_row, corpus_fault, text_of


@corpus_fault("Cyrillic letters stand in Latin words", "DAT027", lambda f: "\u0430" in text_of(f))
def text_with_lookalikes(corpus: Facts) -> Facts:
    return change_row(corpus, transcript="c\u0430fe s\u0430ng")
