"""Texts that a program filled in."""

from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.data_changes import SPEECH, SPOILT, in_corpus, texts, with_corpus, with_rows


@fault(
    "text_written_as_nan",
    "an empty cell was written as the word nan",
    "DAT002",
    in_corpus(lambda f: texts(f)[SPOILT] == "nan"),
    SPEECH,
)
def text_written_as_nan(facts: Facts) -> Facts:
    return with_rows(facts, lambda train, _: train[SPOILT].update(transcript="nan"))


@fault(
    "one_text_for_all",
    "every row has the same text",
    "DAT055",
    in_corpus(lambda f: len(set(texts(f))) == 1),
    SPEECH,
)
def one_text_for_all(facts: Facts) -> Facts:
    corpus = with_corpus(facts)
    return {**corpus, "train_rows": [{**row, "transcript": "mẹ mua cá ở chợ"} for row in corpus["train_rows"]]}
