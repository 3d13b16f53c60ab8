from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_file, corpus_fault, path_of


@corpus_fault("an audio file holds HTML", "DAT007", lambda f: path_of(f).read_bytes()[:4] == b"<htm")
def file_is_a_web_page(corpus: Facts) -> Facts:
    return change_file(corpus, lambda path: path.write_text("<html>404: not found</html>"))
