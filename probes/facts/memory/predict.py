"""The peak of a run: a step on the longest batch, an evaluation, generation, and a checkpoint being written."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from probes.facts.core.batch_rows import input_of
from probes.facts.core.step_setup import StepSetup
from probes.facts.memory.evaluation_types import EvaluationSettings
from probes.facts.memory.one_step import count_evaluation, count_step
from probes.facts.memory.summarize import peak_of, summarize
from probes.facts.memory.types import (
    CHECKPOINT,
    EVALUATION,
    GENERATION,
    STEP,
    MemoryPrediction,
    StepOptions,
)

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


def predict(
    setup: StepSetup, name: str, batch: Any, options: StepOptions, evaluation: EvaluationSettings
) -> MemoryPrediction:
    """All phases; what lives between two steps lives in each of them."""
    step = summarize(count_step(setup, batch, options), name, batch)
    phases, remarks = {STEP: step.peak}, []
    if evaluation.evaluates:
        meter, encoded = count_evaluation(setup, batch, options)
        between = step.persistent - step.kinds.get("weights", 0)
        phases[EVALUATION] = peak_of(meter) + between + evaluation.logits
        sizes = decoder_sizes(setup.model)
        if evaluation.tokens and sizes:
            cache = generation_bytes(sizes, batch, encoded, evaluation.tokens, evaluation.beams, options)
            phases[GENERATION] = step.persistent + step.kinds.get("batch", 0) + cache
        elif evaluation.tokens:
            remarks.append("generation is not predicted: the model's configuration does not tell its sizes")
    if evaluation.saves and not options.gpu:  # from a GPU, tensors are copied to the host one at a time
        phases[CHECKPOINT] = step.persistent + step.kinds.get("weights", 0)
    return MemoryPrediction(step, phases, options, remarks=tuple(remarks))


def with_other_batches(prediction: MemoryPrediction, setup: StepSetup, batches: dict[str, Any]) -> MemoryPrediction:
    """The same step on further batches."""
    steps = tuple(_steps(prediction, setup, batches))
    return replace(prediction, other_batches=steps)


def _steps(prediction: MemoryPrediction, setup: StepSetup, batches: dict[str, Any]) -> Iterator[Any]:
    for name, batch in batches.items():
        yield summarize(count_step(setup, batch, prediction.options), name, batch)
