"""What a tokenizer says of its ids: which are no text, and how it writes a text on either side."""

from collections.abc import Callable
from typing import Any

Encode = Callable[[str, str], list[int]]


def encoder_of(tokenizer: Any) -> Encode:
    """Ids of a text as the tokenizer writes it on one side: "text" or "text_target"."""

    def encode(text: str, side: str = "text_target") -> list[int]:
        try:
            return list(tokenizer(**{side: text})["input_ids"])
        except TypeError:  # a tokenizer that knows no sides
            return list(tokenizer(text)["input_ids"])

    return encode


def special_tokens(tokenizer: Any) -> dict[int, str]:
    """Ids that are no text, by name. The unknown token stands for text, unless it ends rows as well, as Whisper's."""
    added = getattr(tokenizer, "added_tokens_decoder", {})
    special = {number: str(token) for number, token in added.items() if getattr(token, "special", False)}
    for number in getattr(tokenizer, "all_special_ids", ()):
        special.setdefault(number, str(tokenizer.convert_ids_to_tokens(number)))
    others = {getattr(tokenizer, f"{part}_token_id", None) for part in ("eos", "bos", "pad", "cls", "sep")}
    if (unknown := getattr(tokenizer, "unk_token_id", None)) not in others:
        special.pop(unknown, None)
    return special
