from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_row, corpus_fault, text_of


@corpus_fault("a row has the text of an entire recording", "DAT030", lambda f: len(text_of(f)) > 300)
def text_of_an_hour(corpus: Facts) -> Facts:
    return change_row(corpus, transcript="mẹ mua cá ở chợ rồi về nhà nấu cơm " * 10)
