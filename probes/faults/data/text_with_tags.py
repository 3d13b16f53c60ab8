from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_row, corpus_fault, text_of


@corpus_fault("a subtitle's tags stayed in a text", "DAT023", lambda f: "[cười]" in text_of(f))
def text_with_tags(corpus: Facts) -> Facts:
    return change_row(corpus, transcript="[cười] mẹ mua cá **rồi**")
