"""transformers' training arguments from a configuration."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import torch
from transformers import Seq2SeqTrainingArguments

from diagnose.common.errors import InputError

if TYPE_CHECKING:
    from trainer.config import Config

log = logging.getLogger(__name__)

SAME_NAME = (
    "gradient_accumulation_steps",
    "learning_rate",
    "lr_scheduler_type",
    "weight_decay",
    "optim",
    "max_grad_norm",
    "num_train_epochs",
    "max_steps",
    "bf16",
    "gradient_checkpointing",
    "save_strategy",
    "save_steps",
    "logging_steps",
    "load_best_model_at_end",
    "metric_for_best_model",
    "greater_is_better",
    "seed",
    "predict_with_generate",
    "generation_max_length",
    "generation_num_beams",
)


def training_arguments(config: Config, evaluates: bool = True) -> Seq2SeqTrainingArguments:
    """The arguments of a run; `evaluates` is False where there is nothing to evaluate on."""
    training = config.training
    same = {name: getattr(training, name) for name in SAME_NAME}
    try:
        arguments = Seq2SeqTrainingArguments(
            **{**same, **_evaluation(config, evaluates), **_loading(config), **_distribution(config)},
            output_dir=str(config.output.dir),
            per_device_train_batch_size=training.batch_size,
            per_device_eval_batch_size=training.eval_batch_size or training.batch_size,
            warmup_steps=training.warmup_ratio or training.warmup_steps,
            fp16=_fp16(config),
            gradient_checkpointing_kwargs={"use_reentrant": False},
            label_names=["toks" if config.model.type == "hybrid" else "labels"],
            remove_unused_columns=False,
            logging_nan_inf_filter=False,  # it would hide a NaN, and wait for the device at every step to do so
            report_to="none",  # reporters get their folders in callbacks
            run_name=config.output.experiment_name,
            disable_tqdm=True,
            log_level="error",
        )
    except ValueError as error:
        raise InputError(f"training: transformers rejects these settings: {error}") from error
    # Several GPUs in one process would mean DataParallel; many GPUs are many processes here.
    arguments._n_gpu = min(1, arguments.n_gpu)
    return arguments


def has_accelerator() -> bool:
    """Whether there is a GPU or its like."""
    return torch.accelerator.is_available()


def _evaluation(config: Config, evaluates: bool) -> dict[str, Any]:
    if not evaluates:
        return {"eval_strategy": "no", "load_best_model_at_end": False}
    return {"eval_strategy": config.training.eval_strategy, "eval_steps": config.training.eval_steps}


def _loading(config: Config) -> dict[str, Any]:
    workers = config.dataloader.num_workers
    return {
        "dataloader_num_workers": workers,
        "dataloader_pin_memory": config.dataloader.pin_memory and has_accelerator(),
        "dataloader_prefetch_factor": config.dataloader.prefetch_factor if workers else None,
    }


def _distribution(config: Config) -> dict[str, Any]:
    # A frozen encoder, or a decoder that waits for CTC, gets no gradient for a while.
    partial = bool(config.training.ctc_only_steps) or encoder_unfreezes_later(config)
    processors = {"use_cpu": not has_accelerator()}  # else accelerate starts many processes that never synchronise
    return {"ddp_find_unused_parameters": partial, "ddp_broadcast_buffers": False, **processors}


def encoder_unfreezes_later(config: Config) -> bool:
    """Whether the encoder starts frozen and is to train later."""
    return config.model.freeze_encoder and config.training.freeze_encoder_epochs is not None


def _fp16(config: Config) -> bool:
    if config.training.fp16 and not has_accelerator():
        log.warning("training.fp16 is ignored: there is no GPU, so the run uses fp32")
        return False
    return config.training.fp16
