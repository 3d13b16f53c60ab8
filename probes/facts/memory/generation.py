"""Memory of generation: the cache of the decoder and the scores of one token."""

from dataclasses import dataclass
from typing import Any

from probes.facts.core.batch_rows import input_of
from probes.facts.memory.types import StepOptions

SCORES = 3  # copies of one token's scores: the model's, in float32, and with their softmax in a beam search
NAMES = {
    "layers": ("decoder_layers", "num_decoder_layers"),
    "heads": ("decoder_attention_heads", "num_heads", "heads"),
    "width": ("d_model", "hidden_size"),
}


@dataclass(frozen=True)
class DecoderSizes:
    """What decides the size of the cache."""

    layers: int
    width: int
    vocabulary: int


def decoder_sizes(model: Any) -> DecoderSizes | None:
    """From the configuration of a model of transformers; None where it does not tell."""
    config = getattr(model, "config", None)
    config = getattr(config, "decoder", None) or config
    found = {field: _first(config, names) for field, names in NAMES.items()}
    width = (_first(config, ("d_kv",)) or 0) * (found["heads"] or 0) or found["width"]
    vocabulary = _first(config, ("vocab_size",))
    return DecoderSizes(found["layers"], width, vocabulary) if found["layers"] and width and vocabulary else None


def _first(config: Any, names: tuple[str, ...]) -> int:
    values = (getattr(config, name, None) for name in names)
    return next((value for value in values if isinstance(value, int)), 0)


def generation_bytes(
    sizes: DecoderSizes, batch: Any, encoded: int, tokens: int, beams: int, options: StepOptions
) -> int:
    """Keys and values of every layer, for `tokens` of its own and `encoded` positions of the encoder; and scores."""
    read = input_of(batch)
    rows = (read[1].shape[0] if read else 1) * beams
    width = 2 if options.precision != "fp32" else 4
    cache = rows * 2 * sizes.layers * sizes.width * (tokens + encoded) * width
    return cache + SCORES * rows * sizes.vocabulary * 4
