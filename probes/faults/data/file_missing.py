from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, path_of, with_file


@fault("an audio file was deleted", "DAT001", in_corpus(lambda f: not path_of(f).exists()), SPEECH)
def file_missing(facts: Facts) -> Facts:
    return with_file(facts, lambda path: path.unlink())
