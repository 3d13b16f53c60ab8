"""Facts taken from a transformers Trainer, before it trains and without a trace in it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.core.require import require


@provider
def model(trainer: Any) -> Any:
    return trainer.model


@provider(priority=1)
def training_arguments(trainer: Any) -> Any:
    return trainer.args


@provider
def seed(trainer: Any) -> int:
    return int(trainer.args.seed)


@provider
def precision(trainer: Any) -> str:
    return "fp16" if trainer.args.fp16 else "bf16" if trainer.args.bf16 else "fp32"


@provider
def train_batches(trainer: Any) -> Any:
    """The loader that the run would build, without accelerate's wrapper: that one counts steps for the run."""
    require(trainer.train_dataset is not None, "the Trainer has no train_dataset")
    return _loader(trainer, trainer.get_train_dataloader)


@provider
def eval_batches(trainer: Any) -> Any:
    """The loader of the evaluation set; of the first one, where there are several by name."""
    sets = trainer.eval_dataset
    require(sets is not None, "the Trainer has no eval_dataset")
    first = next(iter(sets), None) if isinstance(sets, dict) else None
    return _loader(trainer, lambda: trainer.get_eval_dataloader(first))


@provider
def train_dataset(trainer: Any, train_batches: Any) -> Any:
    """As the collator meets it: the Trainer may have removed columns."""
    return train_batches.dataset


@provider
def eval_dataset(trainer: Any, eval_batches: Any) -> Any:
    return eval_batches.dataset


@provider
def collate(trainer: Any, train_batches: Any) -> Any:
    """As the loader calls it: the Trainer may have wrapped the user's own."""
    return train_batches.collate_fn


@provider
def compute_loss(trainer: Any) -> Callable[[Any, Any], Any]:
    """The Trainer's own compute_loss, overridden or not."""

    def loss(model: Any, batch: Any) -> Any:
        counted = trainer.compute_loss_func is not None  # which is called with the count, and may divide by it
        items = trainer._get_num_items_in_batch([batch], trainer.args.device) if counted else None
        with trainer.compute_loss_context_manager():
            return trainer.compute_loss(model, trainer._prepare_inputs(batch), num_items_in_batch=items).mean()

    return loss


@provider(priority=1)
def total_steps(trainer: Any, train_batches: Any) -> int:
    try:
        return int(trainer.set_initial_training_values(trainer.args, train_batches)[-1])
    except ValueError as reason:  # a set without a length, and no max_steps
        raise Unavailable(str(reason)) from reason


@provider
def optimizer(trainer: Any) -> Any:
    """The Trainer's optimiser, or the one that it would make."""
    if trainer.optimizer is not None:
        return trainer.optimizer
    with _untouched(trainer):
        return trainer.create_optimizer()


@provider
def scheduler(trainer: Any, optimizer: Any, total_steps: int) -> Any:
    """The schedule, made for a stand-in: making one changes the learning rates and the step of its optimiser."""
    import torch

    if trainer.lr_scheduler is not None:
        return trainer.lr_scheduler
    rates = [group["lr"] for group in optimizer.param_groups]
    stand_in = torch.optim.SGD([{"params": [torch.nn.Parameter(torch.zeros(1))], "lr": rate} for rate in rates])
    with _untouched(trainer):
        return trainer.create_scheduler(total_steps, stand_in)


@provider
def tokenizer(trainer: Any) -> Any:
    """The labels' tokenizer: processing_class may also be a processor around it, or the feature extractor alone."""
    return _processing(trainer, ("tokenizer",), "pad_token_id")


@provider
def feature_extractor(trainer: Any) -> Any:
    return _processing(trainer, ("feature_extractor", "extractor"), "sampling_rate")


@provider
def compute_metrics(trainer: Any) -> Any:
    from transformers import EvalPrediction

    require(trainer.compute_metrics is not None, "the Trainer has no compute_metrics")
    return lambda predictions, labels: trainer.compute_metrics(EvalPrediction(predictions, labels))


def _processing(trainer: Any, parts: tuple[str, ...], mark: str) -> Any:
    for holder in (trainer.processing_class, trainer.data_collator, getattr(trainer.data_collator, "processor", None)):
        for candidate in (holder, *(getattr(holder, part, None) for part in parts)):
            if hasattr(candidate, mark):
                return candidate
    raise NotApplicable(f"the Trainer's processing_class and collator have no {parts[0]}")


def _loader(trainer: Any, get: Callable[[], Any]) -> Any:
    with _untouched(trainer):
        loader = get()
    return getattr(loader, "base_dataloader", loader)


@contextmanager
def _untouched(trainer: Any) -> Iterator[None]:
    """Puts back the Trainer's attributes, its accelerator's lists and its gradient state."""
    from probes.facts.core.observer import restore_entries

    accelerator = trainer.accelerator
    holders = [vars(trainer), vars(accelerator), vars(accelerator.gradient_state)]
    lists = [value for holder in holders[1:] for value in list(holder.values()) if isinstance(value, list | dict)]
    with restore_entries(*holders, *lists):
        yield
