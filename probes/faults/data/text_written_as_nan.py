from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_row, corpus_fault, text_of


@corpus_fault("an empty cell was written as the word nan", "DAT002", lambda f: text_of(f) == "nan")
def text_written_as_nan(corpus: Facts) -> Facts:
    return change_row(corpus, transcript="nan")
