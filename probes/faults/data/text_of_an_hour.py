from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, its_text, with_text


@fault("a row got the text of a whole recording", "DAT030", in_corpus(lambda f: len(its_text(f)) > 300), SPEECH)
def text_of_an_hour(facts: Facts) -> Facts:
    return with_text(facts, "mẹ mua cá ở chợ rồi về nhà nấu cơm " * 10)
