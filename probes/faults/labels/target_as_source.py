from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts, collate_rows, first_labels
from probes.faults.kit.tokenizer_changes import CODES, with_collator, with_tokens


def _two_sided(tokenizer: Any) -> Any:
    """As mBART's: a source begins with the token of one language, a target with that of another."""

    class TwoSided(type(tokenizer)):  # type: ignore[misc]
        def __call__(self, text: Any = None, text_target: Any = None, **how: Any) -> Any:
            code = CODES[0] if text is None else CODES[1]
            texts = text_target if text is None else text
            marked = code + texts if isinstance(texts, str) else [code + one for one in texts]
            return super().__call__(marked, **how)

    tokenizer.__class__ = TwoSided
    return tokenizer


@fault(
    "targets are tokenized without text_target, like sources",
    "LAB014",
    lambda f: int(first_labels(f)[0, 0]) == f["tokenizer"].convert_tokens_to_ids("en_XX"),
    ("e2e", "mt5"),
)
def target_as_source(facts: Facts) -> Facts:
    from probes.subjects.tone_corpus import masked_labels

    if len(collate_rows(facts, 0)["labels"]) != 1:
        raise NotApplicable("its collator makes several rows of an item")
    broken = with_tokens(facts, *CODES)
    tokenizer = _two_sided(broken["tokenizer"])

    def collate(items: list[Any]) -> Any:
        return {**facts["collate"](items), "labels": masked_labels(tokenizer, items)}

    return with_collator(broken, collate)
