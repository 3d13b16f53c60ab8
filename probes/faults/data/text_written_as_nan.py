from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, SPOILT, in_corpus, texts, with_rows


@fault("an empty cell was written as the word nan", "DAT002", in_corpus(lambda f: texts(f)[SPOILT] == "nan"), SPEECH)
def text_written_as_nan(facts: Facts) -> Facts:
    return with_rows(facts, lambda train, _: train[SPOILT].update(transcript="nan"))
