"""The peak of a run: a step on the longest batch, an evaluation, generation, and a checkpoint being written."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from probes.facts.core.step_setup import StepSetup
from probes.facts.memory.generation import decoder_sizes, generation_bytes
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


@dataclass(frozen=True)
class EvaluationSettings:
    """What an evaluation of the run does. `logits`: bytes that it keeps of the whole set."""

    evaluates: bool = True
    tokens: int = 0  # that are generated at most; 0: it does not generate
    beams: int = 1
    logits: int = 0
    saves: bool = True


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
