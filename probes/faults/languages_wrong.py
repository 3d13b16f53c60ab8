"""A language token of another language, in the start token, in the labels, in generation."""

from typing import Any

from diagnose import fault
from diagnose.facts import NotApplicable
from probes.faults.changes import Facts, first_labels
from probes.faults.vocabulary import with_collator, with_tokens

CODES = ("vi_VN", "en_XX")


def _start(facts: Facts) -> str:
    return str(facts["tokenizer"].convert_ids_to_tokens(facts["model"].config.decoder_start_token_id))


@fault(
    "start_in_english",
    "the decoder starts with the token of English, and Vietnamese is wanted",
    "LAB009",
    lambda f: _start(f) == "en_XX",
    ("e2e", "mt5"),
)
def start_in_english(facts: Facts) -> Facts:
    broken = with_tokens(facts, *CODES)
    broken["tokenizer"].tgt_lang = "vi_VN"
    broken["model"].config.decoder_start_token_id = broken["tokenizer"].convert_tokens_to_ids("en_XX")
    return broken


@fault(
    "generation_in_english",
    "labels begin with <|vi|>, and generation asks for English",
    "LAB026",
    lambda f: getattr(f["model"].generation_config, "language", None) == "en",
    ("whisper",),
)
def generation_in_english(facts: Facts) -> Facts:
    facts["model"].generation_config.language = "en"
    return facts


def _two_sided(tokenizer: Any) -> Any:
    """As mBART's: a source begins with the token of one language, a target with that of another."""

    class TwoSided(type(tokenizer)):  # type: ignore[misc]
        def __call__(self, text: Any = None, text_target: Any = None, **how: Any) -> Any:
            code = CODES[0] if text is None else CODES[1]
            texts = text_target if text is None else text
            said = code + texts if isinstance(texts, str) else [code + one for one in texts]
            return super().__call__(said, **how)

    tokenizer.__class__ = TwoSided
    return tokenizer


@fault(
    "target_as_source",
    "targets are tokenised without text_target, so they begin as sources do",
    "LAB014",
    lambda f: int(first_labels(f)[0, 0]) == f["tokenizer"].convert_tokens_to_ids("en_XX"),
    ("e2e", "mt5"),
)
def target_as_source(facts: Facts) -> Facts:
    from probes.instruments.subjects.labels import masked_labels

    if len(facts["collate"]([facts["train_dataset"][0]])["labels"]) != 1:
        raise NotApplicable("its collator makes several rows of an item")
    broken = with_tokens(facts, *CODES)
    tokenizer = _two_sided(broken["tokenizer"])

    def collate(items: list[Any]) -> Any:
        return {**facts["collate"](items), "labels": masked_labels(tokenizer, items)}

    return with_collator(broken, collate)
