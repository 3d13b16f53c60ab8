from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_row, corpus_fault, text_of


@corpus_fault("zero-width spaces stand in a text", "DAT026", lambda f: "\u200b" in text_of(f))
def text_with_zero_width(corpus: Facts) -> Facts:
    return change_row(corpus, transcript="cô giáo\u200b đọc sách")
