"""Facts about what influences what in a forward pass, each from a few passes in evaluation mode."""

from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable
from probes.facts.core.step_setup import StepSetup
from probes.facts.core.types import FirstLoss
from probes.facts.first_step.types import GradientReach
from probes.facts.influence.types import (
    BatchChange,
    EvalDropout,
    FrozenLayer,
    InitialScores,
    InputInfluence,
    RowInfluence,
    UnusedLayer,
)


@provider(assumes=("evaluation_is_deterministic",))
def row_influence(step_setup: StepSetup, batch: Any, first_loss: FirstLoss) -> RowInfluence:
    """Whether the outputs of a row change with the inputs of another."""
    from probes.facts.influence.row_influence import measure_row_influence

    return measure_row_influence(step_setup, batch)


@provider(assumes=("evaluation_is_deterministic",))
def input_influence(step_setup: StepSetup, batch: Any, first_loss: FirstLoss) -> InputInfluence:
    """Which inputs, and which positions of them, change neither output nor loss."""
    from probes.facts.influence.input_influence import measure_input_influence

    return measure_input_influence(step_setup, batch)


@provider
def batch_change(step_setup: StepSetup, batch: Any, first_loss: FirstLoss, train_batches: Any = None) -> BatchChange:
    """What a forward pass writes into its own batch."""
    from probes.facts.influence.batch_change import measure_batch_change

    return measure_batch_change(step_setup, batch, isinstance(train_batches, list | tuple))


@provider(may_be_empty=True)
def eval_dropout(step_setup: StepSetup, batch: Any, first_loss: FirstLoss) -> tuple[EvalDropout, ...]:
    """Dropout that stays on in evaluation mode."""
    from probes.facts.influence.batch_change import find_eval_dropout

    return find_eval_dropout(step_setup, batch)


@provider(may_be_empty=True)
def unused_layers(
    update_setup: StepSetup, batch: Any, gradient_reach: GradientReach, drawn_batches: Any = None
) -> tuple[UnusedLayer, ...]:
    """Layers that train and that no forward pass calls."""
    from probes.facts.influence.unused_layers import find_unused_layers

    return find_unused_layers(update_setup, list(drawn_batches or (batch,))[:3], gradient_reach)


@provider(assumes=("labels_are_classes",))
def initial_scores(model: Any, first_loss: FirstLoss) -> InitialScores:
    """How wide the first scores are, and what they cost."""
    from probes.facts.influence.library import library_of

    loss, logits = first_loss.cross_entropy, first_loss.logits
    if loss is None or logits is None or (first_loss.vocabulary or 0) < 2:
        raise NotApplicable("no output has one logit per class at every label")
    return InitialScores(loss, first_loss.vocabulary or 0, logits.std, library_of(type(model)))


@provider(may_be_empty=True)
def untrained_frozen_layers(
    model: Any, step_setup: StepSetup | None = None, batch: Any = None
) -> tuple[FrozenLayer, ...]:
    """Frozen layers that nobody has trained, in between layers that train."""
    from probes.facts.influence.frozen_layers import find_frozen_layers, reached

    layers = find_frozen_layers(model)
    return reached(step_setup, batch, layers) if layers and step_setup and batch is not None else layers
