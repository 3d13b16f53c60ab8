from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, texts, with_corpus


@fault("every row has the same text", "DAT055", in_corpus(lambda f: len(set(texts(f))) == 1), SPEECH)
def one_text_for_all(facts: Facts) -> Facts:
    corpus = with_corpus(facts)
    return {**corpus, "train_rows": [{**row, "transcript": "mẹ mua cá ở chợ"} for row in corpus["train_rows"]]}
