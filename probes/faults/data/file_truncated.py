from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_file, corpus_fault, path_of


@corpus_fault(
    "an audio file was cut in half while its header stayed",
    "DAT006",
    lambda f: path_of(f).stat().st_size < 40 + float(f["train_rows"][5]["duration"]) * 32_000 - 1000,
)
def file_truncated(corpus: Facts) -> Facts:
    return change_file(corpus, lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]))
