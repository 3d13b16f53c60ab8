"""What the model says: by itself, made to say the labels, and through the run's own evaluation."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.core.require import require
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.types import Failure, SpecialIds
from probes.facts.first_step.types import FirstStep
from probes.facts.generation.types import ForcedGeneration, FreeGeneration, GenerationRows
from probes.facts.labels.types import LabelRow

if TYPE_CHECKING:
    from torch.nn import Module

TRAINED = 0.6  # of ln V: random weights start at ln V or above; what begins below was trained on something alike


@provider
def generate(model: Any, run_generate: Any = None, trainer: Any = None) -> Callable[[Any, Any], Any]:
    """The run's own; a Trainer's prediction step; or the model's own method, which is given with the model."""
    from probes.facts.generation.sources import generate_of_model, generate_of_trainer

    if run_generate is not None:
        return run_generate
    if trainer is not None and not getattr(trainer.args, "predict_with_generate", False):
        raise NotApplicable("the Trainer's evaluation does not generate (predict_with_generate is off)")
    if trainer is not None:
        return generate_of_trainer(trainer)
    pair = getattr(getattr(model, "config", None), "is_encoder_decoder", False)
    missing = "pass generate: the model is not a transformers encoder-decoder model with a generate method"
    require(pair and callable(getattr(model, "generate", None)), missing)
    return generate_of_model


@provider
def decode(tokenizer: Any, run_decode: Any = None) -> Callable[[Any], list[str]]:
    """The run's own; else the tokenizer's, special tokens left out."""
    from probes.facts.generation.sources import decode_of

    if run_decode is not None:
        return run_decode
    require(hasattr(tokenizer, "batch_decode"), "the tokenizer cannot decode batches: pass decode")
    return decode_of(tokenizer)


@provider
def is_pretrained(first_step: FirstStep, step_setup: StepSetup, batch: Any) -> bool:
    """Whether the weights know something of these labels already: then what they say can be judged.

    Asked once more in evaluation mode: dropout hides much of what a small model knows.
    """
    loss = first_step.loss
    if loss is None or loss.cross_entropy is None or not loss.vocabulary:
        raise NotApplicable(
            "the first step has no cross-entropy over tokens: it is unknown whether the weights are trained"
        )
    enough = TRAINED * math.log(max(loss.vocabulary, 2))
    if loss.cross_entropy < enough:
        return True
    from probes.facts.core.output_hook import plain_cross_entropy
    from probes.facts.generation.teacher_forcing import teacher_forced_logits

    quiet = plain_cross_entropy(teacher_forced_logits(step_setup, batch), step_setup.labels_of(batch))
    return quiet is not None and quiet < enough


@provider
def generation_rows(
    label_rows: tuple[LabelRow, ...], special_ids: SpecialIds, first_step: FirstStep, tokenizer: Any = None
) -> GenerationRows:
    """The shortest and the longest row of the first batch."""
    from probes.facts.generation.sources import select_generation_rows

    require(first_step.failure is None, first_step.failure, Unavailable)
    rows = [row for row in label_rows if row.batch == 0]
    if not rows or max(row.length for row in rows) < 2 or not any(row.scored for row in rows):
        raise NotApplicable("the labels are not token sequences: nothing is generated")
    return select_generation_rows(rows, special_ids, first_step, tokenizer)


@provider(assumes=("run_generates",))
def generation_attempt(
    model: "Module",
    generate: Any,
    batch: Any,
    generation_rows: GenerationRows,
    decode: Any = None,
    tokenizer: Any = None,
    is_pretrained: bool | None = None,
) -> FreeGeneration:
    """What the model says to two rows, twice under different seeds; what it raises."""
    from probes.facts.generation.sources import context_of
    from probes.facts.generation.trials import generate_freely

    context = context_of(generation_rows, model, generate, batch, decode, tokenizer)
    return generate_freely(context, bool(is_pretrained))


@provider
def free_generation(generation_attempt: FreeGeneration) -> FreeGeneration:
    require(generation_attempt.failure is None, generation_attempt.failure, Unavailable)
    return generation_attempt


@provider
def forced_generation(
    model: "Module",
    generate: Any,
    batch: Any,
    generation_rows: GenerationRows,
    free_generation: FreeGeneration,
    decoder_rows: tuple[LabelRow, ...],
    decode: Any = None,
    tokenizer: Any = None,
) -> ForcedGeneration:
    """The run's own generation, decode included, with a model that says the labels."""
    from probes.facts.generation.sources import context_of, detects_language
    from probes.facts.generation.trials import generate_labels

    require(generation_rows.classes, "the forward pass has no token logits to control")
    context = context_of(generation_rows, model, generate, batch, decode, tokenizer)
    heard = generate_labels(context, decoder_rows, generation_rows.classes, detects_language(model))
    if isinstance(heard, Failure):
        raise NotApplicable(f"this generation cannot be forced to output the labels: {heard}")
    require(heard.prompts, "generation did not use the model's embedding and head")
    return heard


@provider
def pretrained_generation(is_pretrained: bool, free_generation: FreeGeneration) -> FreeGeneration:
    """What a model says that was trained before; random weights say anything, for ever, and to everybody the same."""
    require(
        is_pretrained,
        "the first loss is near ln V or above: the weights are new or know other token ids, and generated text has no "
        "meaning yet",
    )
    return free_generation
