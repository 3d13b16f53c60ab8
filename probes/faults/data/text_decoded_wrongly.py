from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_row, corpus_fault, text_of


@corpus_fault("UTF-8 was read as Latin-1", "DAT024", lambda f: "Ã" in text_of(f))
def text_decoded_wrongly(corpus: Facts) -> Facts:
    return change_row(corpus, transcript="mẹ mua cá ở chợ".encode().decode("latin-1").replace("\x85", "…"))
