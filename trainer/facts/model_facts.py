"""Facts of the model and of the trainer of a run.

Model, batches, optimizer and schedule are read from the `trainer` built here, as from any transformers Trainer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider

if TYPE_CHECKING:
    from trainer.config import Resolved
    from trainer.loop.trainer import RunTrainer
    from trainer.models.bundle import ModelBundle


@provider
def model_bundle(config: Resolved, configured_dataset: Any) -> ModelBundle:
    """The model with all that feeds and reads it, as the run will build it."""
    from trainer.models.bundle import build

    return build(config.config, configured_dataset.texts())


@provider
def trainer(config: Resolved, model_bundle: ModelBundle, configured_dataset: Any) -> RunTrainer:
    """The trainer of the run, without the callbacks that write."""
    from trainer.data.open_split import open_split
    from trainer.loop.trainer import RunTrainer

    evaluates = config.config.training.eval_strategy != "no"
    return RunTrainer(model_bundle, configured_dataset, open_split(config.config, "dev") if evaluates else None)


@provider
def rank_facts(config: Resolved) -> Callable[[int, int], dict[str, Any]]:
    """Every process of the run reads the same configuration."""
    return lambda rank, processes: {"config": config}


@provider
def labels_of(model_bundle: ModelBundle) -> Callable[[Any], Any]:
    return model_bundle.labels_of


@provider
def run_generate(model_bundle: ModelBundle) -> Callable[[Any, Any], Any]:
    """Goes before what a Trainer or a model could do: each row has the prompt of its own task."""
    return model_bundle.generate


@provider
def run_decode(model_bundle: ModelBundle) -> Callable[[Any], list[str]]:
    return model_bundle.decode


@provider
def fresh(model_bundle: ModelBundle) -> tuple[str, ...]:
    return model_bundle.fresh


@provider
def keep_fp32() -> Callable[[Any, Any], list[Any]]:
    """keep_fp32(model, names): how the trainer obeys training.keep_fp32; for models of any kind."""
    from trainer.models.keep_fp32 import keep_fp32 as keep

    return keep


@provider
def unfrozen_later(config: Resolved, model_bundle: ModelBundle) -> tuple[str, ...]:
    """Names of parameters that are frozen for the first epochs only; () if the encoder is not unfrozen."""
    if config.config.training.freeze_encoder_epochs is None:
        return ()
    inside = set(map(id, model_bundle.model.get_encoder().parameters()))
    return tuple(name for name, one in model_bundle.model.named_parameters() if id(one) in inside)
