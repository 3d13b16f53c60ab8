"""Facts of a Lightning run that begins to fit: from the LightningModule, the data and the Trainer."""

import inspect
import io
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any

from probes.facts.core.observer import restore_entries
from probes.integrations.backward_loss import loss_at_backward
from probes.integrations.run_digests import digest_inputs_of

PRECISIONS = {"16": "fp16", "bf16": "bf16"}
LOGGING = ("log", "log_dict")


def facts_of_fit(trainer: Any, module: Any) -> dict[str, Any]:
    """All that the three of them say; what the user gives replaces it."""
    train = _loader(trainer, module, trainer.fit_loop._data_source)
    evaluation = _loader(trainer, module, trainer.fit_loop.epoch_loop.val_loop._data_source)
    settings = _settings(trainer)
    sets = [getattr(loader, "dataset", None) for loader in (train, evaluation)]
    schedulers = [config.scheduler for config in trainer.lr_scheduler_configs]
    return {
        "model": module,
        "compute_loss": _compute_loss(trainer, module),
        "optimizer": trainer.optimizers or None,
        "scheduler": schedulers[0] if len(schedulers) == 1 else None,
        "total_steps": _total_steps(trainer, train),
        "train_batches": train,
        "eval_batches": evaluation,
        "train_dataset": sets[0],
        "eval_dataset": sets[1],
        "collate": getattr(train, "collate_fn", None),
        "precision": precision_of(trainer),
        "training_arguments": settings,
        "tokenizer": getattr(module, "tokenizer", None),
        "digest_inputs": digest_inputs_of(trainer.default_root_dir, module, *sets, training_arguments=settings),
    }


def precision_of(trainer: Any) -> str:
    """fp32, fp16 or bf16."""
    return PRECISIONS.get(str(trainer.precision).partition("-")[0], "fp32")


def _settings(trainer: Any) -> dict[str, Any]:
    """What a Lightning Trainer was given, by the names of transformers' TrainingArguments."""
    return {
        "max_steps": trainer.max_steps,
        "num_train_epochs": trainer.max_epochs,
        "max_grad_norm": trainer.gradient_clip_val or 0.0,
        "gradient_accumulation_steps": trainer.accumulate_grad_batches,
    }


def _loader(trainer: Any, module: Any, source: Any) -> Any:
    """The loader that the run will build, built once more; several loaders are read as Lightning combines them."""
    if source.instance is None or not source.is_defined():
        return None
    holders = [vars(one) for one in (module, trainer.datamodule) if one is not None]
    with restore_entries(*holders):
        found = source.dataloader()
    combined = vars(sys.modules[type(trainer.fit_loop).__module__])["CombinedLoader"]
    if isinstance(found, list | tuple | dict):
        found = combined(found, "max_size_cycle")
    return CombinedBatches(found) if isinstance(found, combined) else found


class CombinedBatches:
    """Batches of several loaders, without the numbers that Lightning gives them."""

    def __init__(self, loader: Any) -> None:
        self.loader = loader

    def __iter__(self) -> Iterator[Any]:
        yield from (batch for batch, _, _ in self.loader)

    def __len__(self) -> int:
        return len(self.loader)


def _total_steps(trainer: Any, loader: Any) -> int | None:
    """Updates of the run: limited by max_steps, by max_epochs, or by neither."""
    try:
        batches = len(loader)
    except (TypeError, NotImplementedError):
        return trainer.max_steps if trainer.max_steps > 0 else None
    limit = trainer.limit_train_batches
    batches = min(batches, limit) if isinstance(limit, int) else int(batches * limit)
    updates = -(-batches // trainer.accumulate_grad_batches) * max(trainer.max_epochs or 0, 0)
    found = [count for count in (updates, trainer.max_steps) if count > 0]
    return min(found, default=None)


def _compute_loss(trainer: Any, module: Any) -> Callable[[Any, Any], Any]:
    """The loss of training_step; under manual optimization that of its first backward pass."""
    takes_index = len(inspect.signature(module.training_step).parameters) > 1

    def compute_loss(_: Any, batch: Any) -> Any:
        batch = module._apply_batch_transfer_handler(module._on_before_batch_transfer(batch))
        arguments = (batch, 0) if takes_index else (batch,)
        with _quiet(module), trainer.precision_plugin.train_step_context():
            found = loss_at_backward(lambda: module.training_step(*arguments))
        return found["loss"] if isinstance(found, dict) else found

    return compute_loss


@contextmanager
def _quiet(module: Any) -> Iterator[None]:
    """Lightning refuses self.log before its loop runs; what is logged or printed here is no part of the run."""
    for name in LOGGING:
        setattr(module, name, lambda *_, **__: None)
    try:
        with redirect_stdout(io.StringIO()):
            yield
    finally:
        for name in LOGGING:
            delattr(module, name)
