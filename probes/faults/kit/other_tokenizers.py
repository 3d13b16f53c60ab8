"""Tokenizers of another model, language or case."""

from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.tokenizer_changes import with_tokenizer

LOWER = "aàáảãạăằắẳẵặâầấẩẫậbcdđeèéẻẽẹêềếểễệfghiìíỉĩịjklmnoòóỏõọôồốổỗộơờớởỡợpqrstuùúủũụưừứửữựvwxyỳýỷỹỵz "
PLAIN = ("e2e", "mt5")  # no prefix that a tokenizer would have to know, no CTC that letters are too many for


def rows_of_text(facts: Facts) -> list[dict[str, Any]]:
    return [{"transcript": item["transcript"]} for item in map(facts["train_dataset"].__getitem__, range(36))]


def with_other_tokenizer(facts: Facts, tokenizer: Any) -> Facts:
    """The subject whose texts another tokenizer spells; it has the run's own special tokens too."""
    tokenizer.add_tokens(list(facts["tokenizer"].all_special_tokens), special_tokens=True)
    return {"train_rows": rows_of_text(facts), **with_tokenizer(facts, tokenizer)}


def is_unknown(facts: Facts, text: str = "mẹ mua cá") -> bool:
    return "<unk>" in facts["tokenizer"].tokenize(text)
