"""The training and dataloader sections; some defaults follow from the length of the run and from the machine."""

import os
from typing import Any, Literal

from pydantic import Field, model_validator

from trainer.config.field_types import Count, Limit, Number, Reporters, Section, Strategy, Text, Whole

Schedule = Literal[
    "linear", "cosine", "cosine_with_restarts", "polynomial", "constant", "constant_with_warmup", "inverse_sqrt"
]
EVALUATIONS = 4  # of a run of so few updates that 500 is no sensible distance
OFTEN = 500
# Beyond these, a number is a slip: more rows, updates and tokens than any published run has.
MOST_ROWS, MOST_STEPS, MOST_TOKENS = 1_000_000, 1_000_000_000, 1_000_000


class Training(Section):
    batch_size: Count = Field(
        default=8, le=MOST_ROWS, description="Rows of a batch on each device. With task both, each counts twice."
    )
    eval_batch_size: Count | None = Field(
        default=None, le=MOST_ROWS, description="Rows of an evaluation batch. null: batch_size."
    )
    gradient_accumulation_steps: Count = Field(
        default=1, le=MOST_ROWS, description="Batches whose gradients make one update."
    )
    auto_batch_size: bool = Field(
        default=False,
        description="Take the largest batch_size (a power of two) that is predicted to fit on the device, with "
        "head-room. `batch_size: auto` sets it.",
    )
    learning_rate: Number = Field(default=5e-5, gt=0, description="The highest learning rate, reached after warmup.")
    lr_scheduler_type: Schedule = Field(default="linear", description="How the learning rate falls after warmup.")
    warmup_ratio: Number = Field(default=0.0, ge=0, lt=1, description="Fraction of all updates that is warmup.")
    warmup_steps: Whole = Field(default=0, le=MOST_STEPS, description="Updates of warmup. Give this or warmup_ratio.")
    weight_decay: Number = Field(default=0.0, ge=0, description="AdamW's weight decay; biases and norms have none.")
    optim: Literal["adamw_torch_fused", "adafactor", "adamw_bnb_8bit"] = Field(
        default="adamw_torch_fused",
        description="The optimizer, as transformers names it. adafactor keeps a fraction of AdamW's state; "
        "adamw_bnb_8bit a quarter, and needs bitsandbytes and a GPU.",
    )
    device_memory: Text | None = Field(
        default=None,
        description="Memory of the GPU to train on, such as 4GB, for predicting whether the run fits. null: that of "
        "this machine's GPU or, without one, its own.",
    )
    max_grad_norm: Number = Field(default=1.0, ge=0, description="Gradients are clipped to this norm. 0: not clipped.")
    num_train_epochs: Number = Field(default=3.0, gt=0, le=MOST_ROWS, description="Passes over the training set.")
    max_steps: Limit = Field(
        default=-1,
        le=MOST_STEPS,
        description="Updates of the run, instead of num_train_epochs. -1: as many as the epochs make.",
    )
    fp16: bool = Field(default=False, description="Mixed precision with float16. Needs a GPU; mT5 overflows in it.")
    bf16: bool = Field(default=False, description="Mixed precision with bfloat16.")
    keep_fp32: tuple[Text, ...] = Field(
        default=(), description="Modules, by name or pattern, that stay in float32 under fp16 or bf16."
    )
    gradient_checkpointing: bool = Field(
        default=False, description="Recompute activations in the backward pass: less memory, slower."
    )
    eval_strategy: Strategy = Field(default="steps", description="When to evaluate on dev.csv: no, steps or epoch.")
    eval_steps: Count = Field(
        default=OFTEN,
        le=MOST_STEPS,
        description="Updates between evaluations. Default: 500, or a quarter of max_steps where that is less.",
    )
    save_strategy: Strategy = Field(default="steps", description="When to save a checkpoint: no, steps or epoch.")
    save_steps: Count = Field(
        default=OFTEN, le=MOST_STEPS, description="Updates between checkpoints. Default: as eval_steps."
    )
    save_total_limit: Count | None = Field(default=3, description="Checkpoints that are kept. null: all.")
    logging_steps: Count = Field(default=50, le=MOST_STEPS, description="Updates between two lines of the log.")
    load_best_model_at_end: bool = Field(
        default=True, description="Keep the model of the best evaluation, not the last one."
    )
    metric_for_best_model: Text = Field(
        default="eval_loss",
        description="What the best evaluation is judged by, such as eval_loss, eval_wer, eval_bleu.",
    )
    greater_is_better: bool = Field(
        default=False, description="true for BLEU, chrF and ROUGE; false for losses, WER, CER."
    )
    early_stopping_patience: Count | None = Field(
        default=None,
        description="Evaluations without a better metric before the run stops. null: it never stops early.",
    )
    report_to: Reporters = Field(
        default=("tensorboard",),
        description="Where curves are written: tensorboard, wandb, mlflow, a list of these, or none. They write to "
        "logs/ of output.dir; WANDB_MODE=online and MLFLOW_TRACKING_URI send them to a server.",
    )
    seed: Whole = Field(default=42, le=2**32 - 1, description="Seed of weights, batch order and dropout.")
    shuffle: bool = Field(default=True, description="Draw the rows in another order in every epoch.")
    freeze_encoder_epochs: Whole | None = Field(
        default=None, description="With model.freeze_encoder, unfreeze after so many epochs. null: never."
    )
    ctc_only_steps: Whole = Field(
        default=0, le=MOST_STEPS, description="First updates that train the encoder by CTC alone."
    )
    predict_with_generate: bool = Field(
        default=True, description="Generate texts in evaluations, which WER, BLEU and ROUGE need."
    )
    generation_max_length: Count = Field(default=256, le=MOST_TOKENS, description="Tokens that are generated at most.")
    generation_num_beams: Count = Field(
        default=1, le=1000, description="Beams of the search. 1: greedy. The hybrid needs 1."
    )

    @model_validator(mode="before")
    @classmethod
    def _follow_max_steps(cls, values: Any) -> Any:
        return with_steps_of(with_auto_batch(values)) if isinstance(values, dict) else values


def with_auto_batch(values: dict[str, Any]) -> dict[str, Any]:
    """`batch_size: auto` as the switch of that name; until the size is chosen it is 1."""
    return {**values, "batch_size": 1, "auto_batch_size": True} if values.get("batch_size") == "auto" else values


def with_steps_of(values: dict[str, Any]) -> dict[str, Any]:
    """Adds the steps between evaluations and checkpoints that suit a short run; what is given stays."""
    limit, every = values.get("max_steps"), values.get("eval_steps")
    if every is None and type(limit) is int and 0 < limit < EVALUATIONS * OFTEN:
        every = max(1, limit // EVALUATIONS)
    return {"eval_steps": every, "save_steps": every, **values} if type(every) is int else values


def usual_workers() -> int:
    """A worker for each core but one, at most 4; none where that leaves no core for the model."""
    cores = os.cpu_count() or 1
    return 0 if cores <= 2 else min(4, cores - 1)


class Dataloader(Section):
    num_workers: Whole = Field(
        default_factory=usual_workers,
        description="Processes that load batches. Default: one for each core but one, at most 4; 0 on 2 cores or less.",
    )
    pin_memory: bool = Field(
        default=True, description="Copy batches to a GPU from pinned memory. No effect without one."
    )
    prefetch_factor: Count = Field(default=2, le=1000, description="Batches that each worker loads ahead.")
    group_by_length: bool = Field(default=True, description="Put rows of similar length into one batch: less padding.")
