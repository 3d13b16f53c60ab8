from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, its_text, with_text


@fault("zero-width spaces stand in a text", "DAT026", in_corpus(lambda f: "\u200b" in its_text(f)), SPEECH)
def text_with_zero_width(facts: Facts) -> Facts:
    return with_text(facts, "cô giáo\u200b đọc sách")
