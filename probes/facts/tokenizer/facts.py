"""The tokenizer beside the model: tables, special tokens, texts there and back, the extractor."""

from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.core.require import require
from probes.facts.core.types import SpecialIds, TokenTable, TokenTables
from probes.facts.corpus.types import Corpus
from probes.facts.first_step.types import FirstStep
from probes.facts.tokenizer.types import ExtractorMatch, InputIdRange, RoundTrip, SpecialTokens, WeightTies

if TYPE_CHECKING:
    from torch.nn import Module

TEXTS = 128  # there and back; evenly over all rows


@provider
def token_tables(model: "Module", first_step: FirstStep | None = None) -> TokenTables:
    """What ids are looked up in."""
    from probes.facts.core.tokens import tables_of

    classes = first_step.loss.vocabulary if first_step and first_step.loss else None
    tables = tables_of(model, classes)
    require(tables.embedding, "the model has no embedding: nothing reads tokens")
    return tables


@provider
def vocabulary_size(tokenizer: Any) -> int:
    require(hasattr(tokenizer, "__len__"), "the tokenizer has no length")
    return len(tokenizer)


@provider
def special_tokens(tokenizer: Any, model: Any = None, trainer: Any = None) -> SpecialTokens:
    """Special tokens of the tokenizer, the model and generation."""
    from probes.facts.tokenizer.special_tokens import aligns_configs, special_tokens_of

    require(callable(tokenizer), "the tokenizer cannot be called on a text")
    return special_tokens_of(tokenizer, model, aligns_configs(trainer))


@provider
def special_ids(tokenizer: Any = None, model: Any = None) -> SpecialIds:
    """What pads and what ends labels, by the tokenizer's word and by the model's configuration."""
    sources = [tokenizer, getattr(model, "config", None), getattr(model, "generation_config", None)]
    padding = {getattr(source, "pad_token_id", None) for source in sources}
    ends = [token for source in sources for token in _listed(getattr(source, "eos_token_id", None))]
    starts = [getattr(source, "decoder_start_token_id", None) for source in sources[1:]]
    return SpecialIds(
        padding=tuple(sorted(token for token in padding if isinstance(token, int))),
        end=next(iter(ends), None),
        ends=tuple(dict.fromkeys(ends)),
        start=next((token for token in starts if isinstance(token, int)), None),
        vocabulary=len(tokenizer) if hasattr(tokenizer, "__len__") else getattr(sources[1], "vocab_size", None),
    )


def _listed(token: Any) -> list[int]:
    """Some models end with any of several tokens."""
    return [one for one in (token if isinstance(token, list | tuple) else [token]) if isinstance(one, int)]


@provider
def round_trips(tokenizer: Any, train_corpus: Corpus, needed_columns: Any = ()) -> tuple[RoundTrip, ...]:
    """Texts of the corpus, encoded and decoded."""
    from probes.facts.core.numbers import evenly_spaced
    from probes.facts.tokenizer.round_trip import round_trips_of

    require(callable(tokenizer) and hasattr(tokenizer, "decode"), "the tokenizer cannot encode and decode")
    rows = [train_corpus.rows[number] for number in evenly_spaced(range(len(train_corpus.rows)), TEXTS)]
    wanted = set(needed_columns)
    texts = [(row.where, text) for row in rows for name, text in row.texts.items() if not wanted or name in wanted]
    found = tuple(round_trips_of([(where, text) for where, text in texts if text.strip()], tokenizer))
    return require(found, "there is no text to encode")


@provider
def mel_bins(feature_extractor: Any, model: "Module") -> ExtractorMatch:
    return _fitting("bins", feature_extractor, model, ())


@provider
def feature_window(feature_extractor: Any, model: "Module") -> ExtractorMatch:
    return _fitting("window", feature_extractor, model, ())


@provider
def sampling_rate(feature_extractor: Any, model: "Module", fresh: Any = ()) -> ExtractorMatch:
    """Only for weights that were trained before: random ones may learn at any rate."""
    return _fitting("rate", feature_extractor, model, tuple(fresh))


@provider
def decoder_positions(token_tables: TokenTables) -> TokenTable:
    """How many labels the decoder has places for, under the setting that says so."""
    if token_tables.positions is None:
        raise NotApplicable("the decoder has no position embeddings: labels may have any length")
    return TokenTable(token_tables.positions_from, token_tables.positions)


@provider
def ties(model: "Module", token_tables: TokenTables, untied: Any = (), fresh: Any = ()) -> WeightTies:
    from probes.facts.tokenizer.special_tokens import ties_of

    return ties_of(model, token_tables, tuple(untied), tuple(fresh))


def _fitting(which: str, extractor: Any, model: "Module", fresh: tuple[str, ...]) -> ExtractorMatch:
    from probes.facts.tokenizer.special_tokens import match_extractors

    found = dict(match_extractors(extractor, model, fresh)).get(which)
    return require(found, "feature extractor and model do not both define it, or the weights are new")


@provider
def largest_input_id(drawn_batches: tuple[Any, ...], token_tables: TokenTables) -> InputIdRange:
    """The largest id among the inputs of the drawn batches."""
    from probes.facts.core.batch_rows import rows_of

    found = [
        (max(ids), f"batch {number}, row {row}")
        for number, batch in enumerate(drawn_batches)
        for row, ids in enumerate(rows_of(batch.get("input_ids") if hasattr(batch, "get") else None))
        if ids
    ]
    if not found or token_tables.inputs is None:
        raise NotApplicable("the batches have no input_ids")
    largest, where = max(found, key=lambda pair: pair[0])
    return InputIdRange(where, largest, token_tables.inputs.rows, token_tables.inputs.name)
