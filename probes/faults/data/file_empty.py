from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_file, corpus_fault, path_of


@corpus_fault("an audio file has no bytes", "DAT005", lambda f: not path_of(f).stat().st_size)
def file_empty(corpus: Facts) -> Facts:
    return change_file(corpus, lambda path: path.write_bytes(b""))
