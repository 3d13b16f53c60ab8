"""Encodes texts, decodes them again, and finds what was lost."""

import inspect
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from probes.facts.core.tokens import encoder_of, special_tokens
from probes.facts.tokenizer.types import RoundTrip


def round_trips_of(texts: Iterable[tuple[str, str]], tokenizer: Any) -> Iterator[RoundTrip]:
    """Texts come with their place. One that spells a special token would lose it, and is passed over."""
    encode, spelled = encoder_of(tokenizer), tuple(special_tokens(tokenizer).values())
    unknown = getattr(tokenizer, "unk_token_id", None)
    for where, text in texts:
        if not any(name in text for name in spelled):
            ids = encode(text, "text_target")
            back = decoded(tokenizer, ids)
            yield RoundTrip(where, text, back, what_was_lost(text, back), unknown is not None and unknown in ids)


def decoded(tokenizer: Any, ids: list[int]) -> str:
    """As it stands in the ids: no spaces tidied, and no repeats merged, as tokenizers for CTC do."""
    plain: dict[str, Any] = {"clean_up_tokenization_spaces": False, "group_tokens": False}
    known = inspect.signature(tokenizer.decode).parameters
    wide = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
    fit = {name: value for name, value in plain.items() if name in known or (wide and name.startswith("clean"))}
    return str(tokenizer.decode(ids, skip_special_tokens=True, **fit))


def what_was_lost(text: str, back: str) -> str:
    """Nothing, where only spaces and compatible forms of letters differ."""
    one, other = _plain(text), _plain(back)
    if one == other:
        return "spaces" if len(text.split()) > 1 and len(back.split()) == 1 else ""
    if one.casefold() == other.casefold():
        return "case"
    return "accents" if _bare(one) == _bare(other) else "letters"


def _plain(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def _bare(text: str) -> str:
    apart = unicodedata.normalize("NFD", text.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter)).replace("đ", "d")
