"""Reads the special tokens that labels begin with, and who says which language is meant."""

from collections.abc import Sequence
from typing import Any

from probes.facts.core.tokens import special_tokens
from probes.facts.core.types import SpecialIds
from probes.facts.labels.prefix_types import LabelPrefix, LabelPrefixes, is_task, language_of
from probes.facts.labels.types import LabelRow

CODES = 2  # letters of a code of two letters; codes of three cannot be compared with them


def prefixes_of(
    rows: Sequence[LabelRow], tokenizer: Any, special: SpecialIds, model: Any, start: int | None
) -> LabelPrefixes:
    """Padding and end are no prefix; the start token may be, where somebody left it there."""
    names = special_tokens(tokenizer)
    dropped = {*special.padding, *special.ends}
    generation = getattr(model, "generation_config", None)
    return LabelPrefixes(
        rows=tuple(LabelPrefix(row.where, _leading(row, names, dropped)) for row in rows),
        tasks=tuple(name for name in names.values() if is_task(name)),
        start=names.get(start, "") if start is not None else "",
        languages=_expected_languages(tokenizer, generation),
        is_multitask=getattr(generation, "is_multilingual", None) is not False,
    )


def _leading(row: LabelRow, names: dict[int, str], dropped: set[int]) -> tuple[str, ...]:
    found: list[str] = []
    for token in row.ids:
        if token >= 0 and (token not in names or token in dropped):
            break
        found += [names[token]] if token >= 0 else []
    return tuple(found)


def _expected_languages(tokenizer: Any, generation: Any) -> dict[str, str]:
    sources = {
        "tokenizer.tgt_lang": getattr(tokenizer, "tgt_lang", None),
        "generation_config.language": getattr(generation, "language", None),
    }
    codes = {source: _code(value) for source, value in sources.items() if isinstance(value, str)}
    return {source: code for source, code in codes.items() if len(code) == CODES}


def _code(language: str) -> str:
    """`vi`, `<|vi|>`, `vi_VN` and `vietnamese` are one."""
    from transformers.models.whisper.tokenization_whisper import TO_LANGUAGE_CODE

    return language_of([language]) or TO_LANGUAGE_CODE.get(language.lower(), language.lower())
