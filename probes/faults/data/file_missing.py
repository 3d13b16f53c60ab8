from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_file, corpus_fault, path_of


@corpus_fault("an audio file was deleted", "DAT001", lambda f: not path_of(f).exists())
def file_missing(corpus: Facts) -> Facts:
    return change_file(corpus, lambda path: path.unlink())
