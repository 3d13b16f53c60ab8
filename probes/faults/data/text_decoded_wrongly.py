from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, its_text, with_text


@fault("UTF-8 was read as Latin-1", "DAT024", in_corpus(lambda f: "Ã" in its_text(f)), SPEECH)
def text_decoded_wrongly(facts: Facts) -> Facts:
    return with_text(facts, "mẹ mua cá ở chợ".encode().decode("latin-1").replace("\x85", "…"))
