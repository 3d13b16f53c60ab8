"""The facts of a run of this trainer for the diagnosis; each function provides the fact of its name.

Model, batches, optimizer and schedule are read from the `trainer` built here, as from any transformers Trainer.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from trainer.data.manifest import read_rows

if TYPE_CHECKING:
    from trainer.config import Resolved
    from trainer.loop.trainer import RunTrainer
    from trainer.models.bundle import ModelBundle


@provider
def config_path(config: Resolved) -> Path:
    return config.path


@provider
def config_values(config: Resolved) -> dict[str, tuple[Any, str, int | None]]:
    """Every value by its dotted key, with the file (or --set, or default) and the line that decided it."""
    from trainer.config.layers import leaves
    from trainer.config.load import as_plain_dict

    sources = config.sources
    return {key: (value, sources[key].name, sources[key].line) for key, value in leaves(as_plain_dict(config.config))}


@provider
def train_rows(config: Resolved) -> list[dict[str, Any]]:
    return read_rows(config.config.splits / "train.csv")


@provider
def eval_rows(config: Resolved) -> list[dict[str, Any]]:
    return read_rows(config.config.splits / "dev.csv")


@provider
def audio_root(config: Resolved) -> Path:
    return config.config.paths.data_root


@provider
def configured_rows(config: Resolved) -> int | None:
    """How many rows there are to train on; None while there is no manifest."""
    path = config.config.splits / "train.csv"
    return len(read_rows(path)) if path.exists() else None


@provider
def configured_dataset(config: Resolved) -> Any:
    """The training set as the run opens it; no model is needed for that."""
    from trainer.data.dataset import open_split

    return open_split(config.config, "train")


@provider
def metric_names(config: Resolved) -> tuple[str, ...]:
    """What an evaluation of this run computes."""
    from trainer.evaluation.metrics import ROUGES

    names = {"transcribe": ("wer", "cer"), "translate": ("bleu", "chrf"), "summarize": ROUGES}
    names["both"] = names["transcribe"] + names["translate"]
    losses = ("loss", "att_loss", "ctc_loss") if config.config.model.ctc_weight else ("loss",)
    return (*losses, *(names[config.config.model.task] if config.config.training.predict_with_generate else ()))


@provider
def needed_columns(config: Resolved) -> tuple[str, ...]:
    from trainer.data.prepare import needed_texts

    texts = needed_texts(config.config)
    return texts if config.config.model.type == "mt5" else ("audio_path", *texts)


@provider
def group_column(config: Resolved) -> str:
    """The column by which the splits are made: nothing of one group is on both sides."""
    return config.config.data.group_column


@provider
def configured_audio(config: Resolved) -> dict[str, float]:
    """What the run expects of its audio, whatever the feature extractor would take."""
    audio = config.config.audio
    bounds = (audio.min_length_seconds, audio.max_length_seconds)
    return {"sample_rate": audio.sample_rate, "min_seconds": bounds[0], "max_seconds": bounds[1]}


@provider
def model_bundle(config: Resolved, configured_dataset: Any) -> ModelBundle:
    """The model with all that feeds and reads it, as the run will build it."""
    from trainer.models.bundle import build

    return build(config.config, configured_dataset.texts())


@provider
def trainer(config: Resolved, model_bundle: ModelBundle, configured_dataset: Any) -> RunTrainer:
    """The trainer of the run, without the callbacks that write."""
    from trainer.data.dataset import open_split
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
    """What is frozen for the first epochs only; nothing where the encoder stays as it begins."""
    if config.config.training.freeze_encoder_epochs is None:
        return ()
    inside = set(map(id, model_bundle.model.get_encoder().parameters()))
    return tuple(name for name, one in model_bundle.model.named_parameters() if id(one) in inside)


@provider
def digest_inputs(config: Resolved) -> dict[str, Any]:
    """What a receipt vouches for: nothing is built or decoded to find out."""
    from trainer.run_inputs import receipt_inputs

    return receipt_inputs(config)
