import unicodedata

from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_row, corpus_fault, text_of


@corpus_fault("letters and marks stand apart", "DAT025", lambda f: not unicodedata.is_normalized("NFC", text_of(f)))
def text_decomposed(corpus: Facts) -> Facts:
    text = "cô giáo đọc sách"
    apart, ids = unicodedata.normalize("NFD", text), corpus.get("tokenizer")
    if ids is not None and ids(text)["input_ids"] == ids(apart)["input_ids"]:
        raise NotApplicable("its tokenizer composes letters by itself")
    return change_row(corpus, transcript=apart)
