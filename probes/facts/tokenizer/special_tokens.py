"""Reads special tokens from tokenizer, model and generation config; compares a feature extractor with its model."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from typing import Any

import torch

from probes.facts.core.tokens import text_ids
from probes.facts.core.types import TokenTables
from probes.facts.tokenizer.types import ExtractorMatch, SpecialTokens, WeightTies

PRIVATE_USE = "\U000f1234"  # of the private use area: only a tokenizer of bytes can spell it
SPEECH = ("whisper", "wav2vec2", "hubert", "wavlm", "speech_to_text", "seamless_m4t", "mctct", "unispeech")
RATE = 16_000  # what all released models of these families were trained at
OWN_HEADS = ("mt5", "umt5")  # released with a head of their own, whatever their configuration says since transformers 5


def special_tokens_of(tokenizer: Any, model: Any, aligned: bool = False) -> SpecialTokens:
    """`aligned`: the run sets the ids of both configs to those of the tokenizer before it trains."""
    config, generation = getattr(model, "config", None), getattr(model, "generation_config", None)
    configs = {} if aligned else {"model.config": config, "generation_config": generation}
    sources = {"tokenizer": tokenizer, **configs}
    ends = {who: _listed(getattr(source, "eos_token_id", None)) for who, source in sources.items()}
    if not _generates(model):
        ends = {who: ids for who, ids in ends.items() if who == "tokenizer"}
    pads = {who: getattr(source, "pad_token_id", None) for who, source in sources.items()}
    unknown = getattr(tokenizer, "unk_token_id", None)
    return SpecialTokens(
        ends={who: ids for who, ids in ends.items() if ids},
        paddings={who: number for who, number in pads.items() if isinstance(number, int)},
        start=getattr(config, "decoder_start_token_id", None),
        encoder_decoder=bool(getattr(config, "is_encoder_decoder", False)),
        is_ctc=type(model).__name__.endswith("ForCTC") and hasattr(tokenizer, "word_delimiter_token"),
        unknown=unknown,
        says_unknown=unknown is not None and unknown in text_ids(tokenizer, PRIVATE_USE),
        names={name: tokenizer.convert_tokens_to_ids(name) for name in _names(tokenizer)},
        roles=_roles(tokenizer),
    )


def aligns_configs(trainer: Any) -> bool:
    """A Trainer of transformers does so where its processing_class is a tokenizer or holds one."""
    from transformers import PreTrainedTokenizerBase, ProcessorMixin

    return isinstance(getattr(trainer, "processing_class", None), PreTrainedTokenizerBase | ProcessorMixin)


def _generates(model: Any) -> bool:
    """Only generation reads the end token of a config; CTC models and taggers of transformers do not generate."""
    return bool(getattr(model, "can_generate", lambda: True)())


def _roles(tokenizer: Any) -> dict[str, int]:
    ids = {role: getattr(tokenizer, f"{role}_token_id", None) for role in ("pad", "eos")}
    return {role: number for role, number in ids.items() if isinstance(number, int)}


def _names(tokenizer: Any) -> list[str]:
    """Without the unknown token itself."""
    names = [str(name) for name in getattr(tokenizer, "all_special_tokens", ())]
    return [name for name in dict.fromkeys(names) if name != str(getattr(tokenizer, "unk_token", None))]


def _listed(token: Any) -> tuple[int, ...]:
    return tuple(one for one in (token if isinstance(token, list | tuple) else [token]) if isinstance(one, int))


def match_extractors(extractor: Any, model: Any, fresh: tuple[str, ...]) -> Iterator[tuple[str, ExtractorMatch]]:
    """Mel bins, window and sampling rate, each where both sides have it."""
    config = getattr(model, "config", None)
    inner = getattr(config, "encoder", None)
    bins = getattr(extractor, "num_mel_bins", None) or getattr(extractor, "feature_size", None)
    wanted = getattr(config, "num_mel_bins", None) or getattr(inner, "num_mel_bins", None)
    if isinstance(bins, int) and isinstance(wanted, int):
        yield "bins", ExtractorMatch("mel bins", "num_mel_bins", bins, wanted)
    frames, places = getattr(extractor, "nb_max_frames", None), getattr(config, "max_source_positions", None)
    if isinstance(frames, int) and isinstance(places, int):
        yield "window", ExtractorMatch("frames of its window", "max_source_positions", frames, 2 * places)
    rate, own = getattr(extractor, "sampling_rate", None), _rate(config, inner, model, fresh)
    if isinstance(rate, int) and own is not None:
        yield "rate", ExtractorMatch("sampling rate", "released models of its family", rate, own)


def _rate(config: Any, inner: Any, model: Any, fresh: tuple[str, ...]) -> int | None:
    """What the configuration says; else that of the family, for weights that were trained before."""
    said = getattr(config, "sampling_rate", None)
    if isinstance(said, int):
        return said
    kinds = {getattr(holder, "model_type", None) for holder in (config, inner)}
    trained = bool(getattr(model, "name_or_path", "")) and "*" not in fresh
    return RATE if trained and kinds & set(SPEECH) else None


def ties_of(model: torch.nn.Module, tables: TokenTables, untied: tuple[str, ...], fresh: tuple[str, ...]) -> WeightTies:
    groups: dict[int, list[str]] = {}
    for name, parameter in model.named_parameters(remove_duplicate=False):
        if parameter.numel():
            groups.setdefault(parameter.data_ptr(), []).append(name)
    shared = tuple(tuple(names) for names in groups.values() if len(names) > 1)
    wrong = [name for names in shared for name in names if any(fnmatchcase(name, pattern) for pattern in untied)]
    kind = getattr(getattr(model, "config", None), "model_type", "")
    released = bool(getattr(model, "name_or_path", "")) and "*" not in fresh
    return WeightTies(
        shared=shared,
        untied=tuple(wrong),
        against_flag=bool(tables.tied) and tables.flag is False,
        family=kind if tables.tied and released and kind in OWN_HEADS else "",
        head=tables.head.name if tables.head else "",
        embedding=tables.embedding.name if tables.embedding else "",
    )
