"""The loop: transformers' Seq2SeqTrainer with an exact loss, batches by length, committed checkpoints."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from transformers import PrinterCallback, Seq2SeqTrainer

from diagnose.common.errors import InputError
from trainer.evaluation.training_metrics import compute_metrics
from trainer.loop.accumulation import AccumulationMixin
from trainer.loop.checkpoints.trainer_mixin import CheckpointMixin
from trainer.loop.dataloaders import eval_loader, train_loader
from trainer.loop.evaluation import EvaluationMixin
from trainer.loop.guard.trainer_mixin import GuardMixin
from trainer.loop.hf_arguments import encoder_unfreezes_later, training_arguments
from trainer.models.keep_fp32 import keep_fp32

if TYPE_CHECKING:
    from torch.utils.data import DataLoader, Dataset
    from transformers import TrainerCallback

    from trainer.models.bundle import ModelBundle


class RunTrainer(GuardMixin, AccumulationMixin, CheckpointMixin, EvaluationMixin, Seq2SeqTrainer):
    """Everything but the stepping itself, which is transformers', is in the four pieces it is made of."""

    def __init__(
        self,
        parts: ModelBundle,
        train_set: Dataset,
        eval_set: Dataset | None,
        callbacks: list[TrainerCallback] | None = None,
    ) -> None:
        self.parts, self.config = parts, parts.config
        self.start_books()
        _keep_fp32(parts)
        super().__init__(
            model=parts.model,
            args=training_arguments(parts.config, eval_set is not None),
            data_collator=parts.collate,
            train_dataset=train_set,
            eval_dataset=eval_set,
            compute_metrics=compute_metrics(parts),
            callbacks=callbacks,
        )
        self.remove_callback(PrinterCallback)

    def get_train_dataloader(self) -> DataLoader:
        return train_loader(self.config, self.train_dataset, self.data_collator, self.args)

    def get_eval_dataloader(self, eval_dataset: Dataset | None = None) -> DataLoader:
        return eval_loader(self.config, eval_dataset or self.eval_dataset, self.data_collator, self.args)

    @contextmanager
    def closing(self) -> Iterator[None]:
        """However training ends, callbacks that hold something, such as the terminal, let go of it."""
        try:
            yield
        finally:
            for callback in self.callback_handler.callbacks:
                getattr(callback, "close", lambda: None)()

    def _prepare_for_training(self, *args: Any) -> Any:
        """An encoder that thaws later is known to the optimizer, and to other processes, from the start."""
        if not encoder_unfreezes_later(self.config):
            return super()._prepare_for_training(*args)
        self.parts.train_encoder(True)
        prepared = super()._prepare_for_training(*args)
        self.parts.train_encoder(False)
        return prepared

    def _run_epoch(self, **kwargs: Any) -> None:
        """Nothing is left to do for a run that is resumed after its end."""
        self.take_up_loop_state()
        if self.state.global_step >= self.state.max_steps or self.stopped_early:
            self.control.should_training_stop = True
        else:
            super()._run_epoch(**kwargs)


def _keep_fp32(parts: ModelBundle) -> None:
    try:
        keep_fp32(parts.model, parts.config.training.keep_fp32)
    except ValueError as error:
        raise InputError(f"training.keep_fp32: {error}; `diagnose precision` prints the names") from error
