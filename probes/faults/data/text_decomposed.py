import unicodedata

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, its_text, with_text


@fault(
    "letters and marks stand apart",
    "DAT025",
    in_corpus(lambda f: not unicodedata.is_normalized("NFC", its_text(f))),
    SPEECH,
)
def text_decomposed(facts: Facts) -> Facts:
    text = "cô giáo đọc sách"
    apart, ids = unicodedata.normalize("NFD", text), facts.get("tokenizer")
    if ids is not None and ids(text)["input_ids"] == ids(apart)["input_ids"]:
        raise NotApplicable("its tokenizer composes letters by itself")
    return with_text(facts, apart)
