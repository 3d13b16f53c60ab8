from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, path_of, with_file


@fault(
    "an audio file was cut in half while its header stayed",
    "DAT006",
    in_corpus(lambda f: path_of(f).stat().st_size < 40 + float(f["train_rows"][5]["duration"]) * 32_000 - 1000),
    SPEECH,
)
def file_truncated(facts: Facts) -> Facts:
    return with_file(facts, lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]))
