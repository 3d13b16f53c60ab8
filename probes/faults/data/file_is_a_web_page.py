from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, path_of, with_file


@fault("an audio file holds HTML", "DAT007", in_corpus(lambda f: path_of(f).read_bytes()[:4] == b"<htm"), SPEECH)
def file_is_a_web_page(facts: Facts) -> Facts:
    return with_file(facts, lambda path: path.write_text("<html>404: not found</html>"))
