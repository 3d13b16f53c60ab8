from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, its_text, with_text


@fault("a row lost its text", "DAT002", in_corpus(lambda f: not its_text(f)), SPEECH)
def text_emptied(facts: Facts) -> Facts:
    return with_text(facts, "")
