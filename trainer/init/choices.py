"""The values of a new configuration, for this data and this machine, each with the reason it is written with."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import Any

from trainer.init.machine import Machine
from trainer.init.model_choices import ModelChoice

Settings = dict[str, tuple[Any, str]]  # the value and the comment of each dotted key
UPDATES = 600  # in which the demo's small models learn from random weights
FEWEST_EPOCHS, MOST_EPOCHS = 30, 100  # from random weights
EVALUATIONS, FARTHEST = 6, 1000  # evaluations of a short run; updates between two of a long one
CPU_SECONDS = 32  # of audio in one batch, which a core works on for about a second
TELLING = 50  # dev rows; with fewer, chance decides which evaluation is the best
METRICS = {"transcribe": "wer", "both": "wer", "translate": "bleu", "summarize": "rouge1"}


@dataclass(frozen=True)
class DataSummary:
    """The data in numbers; seconds are 0 for documents."""

    rows: int
    train_rows: int
    dev_rows: int
    seconds: float
    longest: float
    longest_text: int  # characters
    longest_bytes: int
    characters: int  # of all texts
    task: str
    language: str
    group: str | None


def settings_for(data: DataSummary, machine: Machine, model: ModelChoice) -> Settings:
    """Everything but paths and columns."""
    return {**_audio(data, model), **model.settings, **_training(data, machine, model), **_loading(machine)}


def _audio(data: DataSummary, model: ModelChoice) -> Settings:
    if model.type == "mt5":
        return {}
    longest = 30 if model.pretrained else max(1, ceil(data.longest))
    return {
        "audio.max_length_seconds": (longest, f"the longest clip has {data.longest:.1f} s"),
        "audio.min_length_seconds": (0.1, ""),
        "audio.cmvn": (not model.pretrained and model.type != "e2e", "feature normalization, for random weights"),
    }


def _training(data: DataSummary, machine: Machine, model: ModelChoice) -> Settings:
    batch, accumulation = batch_of(data, machine, model)
    per_epoch = ceil(ceil(data.train_rows / batch) / accumulation)
    epochs = epochs_of(per_epoch, model)
    updates = per_epoch * epochs
    every = min(FARTHEST, ceil(updates / EVALUATIONS))
    metric = METRICS[data.task]
    tokens = label_limit(data, model)
    return {
        "model.max_label_length": (tokens, f"tokens; the longest text has {data.longest_text} characters"),
        "training.batch_size": (batch, f"of {data.train_rows:,} training rows"),
        "training.gradient_accumulation_steps": (accumulation, f"{batch * accumulation} rows for each update"),
        "training.learning_rate": (model.learning_rate, ""),
        "training.lr_scheduler_type": ("cosine", ""),
        "training.warmup_ratio": (0.1, ""),
        "training.weight_decay": (0.01, ""),
        "training.num_train_epochs": (epochs, f"{per_epoch:,} updates an epoch, {updates:,} in all"),
        **_ctc_only(model, updates),
        **dict(_precision(machine, model)),
        "training.eval_steps": (every, f"{updates // every} evaluations"),
        "training.save_steps": (every, "a multiple of eval_steps, so that the best model is saved"),
        "training.logging_steps": (max(1, min(50, updates // 30)), ""),
        **_best_model(data),
        "training.metric_for_best_model": (f"eval_{metric}", ""),
        "training.greater_is_better": (metric not in ("wer",), ""),
        "training.generation_max_length": (tokens, "tokens"),
    }


def batch_of(data: DataSummary, machine: Machine, model: ModelChoice) -> tuple[int, int]:
    """Rows of a batch, and batches of an update."""
    if not machine.gpu:
        mean = data.seconds / data.rows
        fitting = int(CPU_SECONDS / mean) if mean else 16
        return max(1, min(8 if mean else 16, fitting, data.train_rows)), 1
    batch = max(1, min(16, int(machine.gpu_gigabytes / model.gigabytes_per_row), data.train_rows))
    return batch, max(1, 16 // batch)


def epochs_of(per_epoch: int, model: ModelChoice) -> int:
    """Many passes over few rows; a fine-tune needs fewer."""
    least, most = (3, 10) if model.pretrained else (FEWEST_EPOCHS, MOST_EPOCHS)
    return min(most, max(least, ceil(UPDATES / per_epoch)))


def label_limit(data: DataSummary, model: ModelChoice) -> int:
    """Tokens that hold the longest text: of characters one for each, of byte pairs at most one for each byte."""
    longest = data.longest_text if model.vocabulary == "characters" else data.longest_bytes
    rounded = 32 * ceil((longest + 8) / 32)
    return min(rounded, 448) if model.type == "whisper" else rounded


def _best_model(data: DataSummary) -> Settings:
    if data.dev_rows >= TELLING:
        return {"training.load_best_model_at_end": (True, "the model of the best evaluation is kept")}
    return {"training.load_best_model_at_end": (False, f"{data.dev_rows} dev rows are too few to tell the best model")}


def _ctc_only(model: ModelChoice, updates: int) -> Settings:
    if model.pretrained or model.type not in ("whisper", "e2e"):
        return {}
    return {"training.ctc_only_steps": (updates // 4, "the encoder learns by CTC before the decoder reads it")}


def _precision(machine: Machine, model: ModelChoice) -> Iterator[tuple[str, tuple[Any, str]]]:
    if not machine.gpu:
        yield "training.fp16", (False, "needs a GPU")
    elif machine.bf16 and model.pretrained:
        yield "training.bf16", (True, "")
    elif model.pretrained and model.type == "whisper":
        yield "training.fp16", (True, "this GPU has no bfloat16")
    else:
        yield "training.fp16", (False, "mT5 overflows in it" if model.type == "mt5" else "a small model fits without")


def _loading(machine: Machine) -> Settings:
    return {
        "dataloader.num_workers": (machine.workers, f"for {machine}"),
        "dataloader.pin_memory": (bool(machine.gpu), ""),
    }
