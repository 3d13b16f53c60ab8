from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, Rows, in_corpus, texts, with_rows


def _deal(train: Rows, evaluation: Rows) -> None:
    for row, text in zip(train, sorted(row["transcript"] for row in train), strict=True):
        row["transcript"] = text


@fault("texts were sorted and the audio was not", "DAT040", in_corpus(lambda f: texts(f) == sorted(texts(f))), SPEECH)
def texts_sorted(facts: Facts) -> Facts:
    return with_rows(facts, _deal)
