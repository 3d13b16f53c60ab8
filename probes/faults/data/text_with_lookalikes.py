from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, its_text, with_text


@fault("Cyrillic letters stand in Latin words", "DAT027", in_corpus(lambda f: "\u0430" in its_text(f)), SPEECH)
def text_with_lookalikes(facts: Facts) -> Facts:
    return with_text(facts, "c\u0430fe s\u0430ng")
