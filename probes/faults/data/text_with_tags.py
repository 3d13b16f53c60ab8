from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, its_text, with_text


@fault("a subtitle's tags stayed in a text", "DAT023", in_corpus(lambda f: "[cười]" in its_text(f)), SPEECH)
def text_with_tags(facts: Facts) -> Facts:
    return with_text(facts, "[cười] mẹ mua cá **rồi**")
