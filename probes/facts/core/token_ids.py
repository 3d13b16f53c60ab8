"""Reads a tokenizer: which ids are special, and the ids of a text as input or as target."""

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


def text_ids(tokenizer: Any, text: str) -> list[int]:
    """Of the text alone, without special tokens: an end token behind it may have the id of the unknown one."""
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def special_tokens(tokenizer: Any) -> dict[int, str]:
    """Names of the special ids. The unknown token counts as text, unless it ends rows as well, as Whisper's."""
    added = getattr(tokenizer, "added_tokens_decoder", {})
    special = {number: str(token) for number, token in added.items() if getattr(token, "special", False)}
    for number in getattr(tokenizer, "all_special_ids", ()):
        special.setdefault(number, str(tokenizer.convert_ids_to_tokens(number)))
    others = {getattr(tokenizer, f"{part}_token_id", None) for part in ("eos", "bos", "pad", "cls", "sep")}
    if (unknown := getattr(tokenizer, "unk_token_id", None)) not in others:
        special.pop(unknown, None)
    return special
