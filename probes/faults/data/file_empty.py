from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, path_of, with_file


@fault("an audio file has no bytes", "DAT005", in_corpus(lambda f: not path_of(f).stat().st_size), SPEECH)
def file_empty(facts: Facts) -> Facts:
    return with_file(facts, lambda path: path.write_bytes(b""))
