"""The training loop: transformers' Seq2SeqTrainer, with our overrides where each one runs.

train()
    _init_training_state(...)             CheckpointMixin: restore callbacks' states, read loop_state.json
        _load_optimizer_and_scheduler(...), _load_scaler(...), _load_rng_state(...)
                                          StateFilesMixin: refuse files that are missing, cut or of another run
    _prepare_for_training(...)            RunTrainer: the optimizer also gets an encoder that is unfrozen later
    callbacks.on_train_begin              GuardEpochCallback: StepMonitor.begin
    for epoch:
        _run_epoch(...)                   RunTrainer: restore the loss sums once; nothing if the run is finished
            for step:
                batches, totals = get_batch_samples(...)
                                          AccumulationMixin: count the targets of all micro-batches and processes
                                          GuardMixin: snapshot batches, buffers and loss sums
                for inputs in batches:
                    loss = training_step(model, inputs, totals)
                                          GuardMixin: take the RNG state
                                          AccumulationMixin: skip a micro-batch without targets
                        inputs = _prepare_input(inputs)
                                          AccumulationMixin: copy to the device without waiting
                        loss = compute_loss(model, inputs, num_items_in_batch=totals)
                                          AccumulationMixin: its share of the step's mean loss
                                          GuardMixin: a NaN reaches all processes through the gradient
                        loss.backward()
                clip_grad_norm_(model)
                _get_grad_norm(model)     GuardMixin: if loss or norm is not finite, skip the update, record, stop
                optimizer.step(); lr_scheduler.step(); model.zero_grad()
                _maybe_log_save_evaluate(...)
                                          GuardMixin: judge all steps whose figures are still on the device
                    log(logs)             AccumulationMixin: the mean over steps with targets, and the loss terms
                    _evaluate(...)        GuardMixin: judge the metrics
                        evaluation_loop(...)
                                          EvaluationMixin: loss over all tokens, texts generated, every row once
                    _determine_best_metric(...)
                                          CheckpointMixin: save a new best at once
                    _save_checkpoint(...) CheckpointMixin: staged, digested, renamed
                        _save(...)        CheckpointMixin: safetensors and processors, no pickle
        callbacks.on_epoch_end            GuardEpochCallback: judge the norm of the weights
    _load_best_model()                    CheckpointMixin: only if the checkpoint verifies
        _issue_warnings_after_load(...)   StateFilesMixin: refuse weights of another model (also on resume)

tests/trainer/loop/test_hf_overrides.py holds this list, and the signatures, against the installed transformers.
"""

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
    from torch.utils.data import DataLoader
    from transformers import TrainerCallback

    from trainer.data.dataset import SplitDataset
    from trainer.models.bundle import ModelBundle


class RunTrainer(GuardMixin, AccumulationMixin, CheckpointMixin, EvaluationMixin, Seq2SeqTrainer):
    """The trainer of a run; the page above shows what each mixin does, and when."""

    def __init__(
        self,
        bundle: ModelBundle,
        train_set: SplitDataset,
        eval_set: SplitDataset | None,
        callbacks: list[TrainerCallback] | None = None,
    ) -> None:
        self.bundle, self.config = bundle, bundle.config
        self.reset_loss_tracking()
        _keep_fp32(bundle)
        super().__init__(
            model=bundle.model,
            args=training_arguments(bundle.config, eval_set is not None),
            data_collator=bundle.collate,
            train_dataset=train_set,
            eval_dataset=eval_set,
            compute_metrics=compute_metrics(bundle),
            callbacks=callbacks,
        )
        self.remove_callback(PrinterCallback)

    def get_train_dataloader(self) -> DataLoader:
        return train_loader(self.config, self.train_dataset, self.data_collator, self.args)

    def get_eval_dataloader(self, eval_dataset: Any = None) -> DataLoader:
        dataset: Any = eval_dataset or self.eval_dataset
        return eval_loader(self.config, dataset, self.data_collator, self.args)

    @contextmanager
    def close_callbacks(self) -> Iterator[None]:
        """Close callbacks that hold something, such as the terminal, however training ends."""
        try:
            yield
        finally:
            for callback in self.callback_handler.callbacks:
                getattr(callback, "close", lambda: None)()

    def _prepare_for_training(self, *args: Any, **kwargs: Any) -> Any:
        """Gives the optimizer, and DDP, an encoder that is unfrozen later from the start."""
        if not encoder_unfreezes_later(self.config):
            return super()._prepare_for_training(*args, **kwargs)
        self.bundle.train_encoder(True)
        prepared = super()._prepare_for_training(*args, **kwargs)
        self.bundle.train_encoder(False)
        return prepared

    def _run_epoch(self, *args: Any, **kwargs: Any) -> None:
        """Runs an epoch; nothing is left to do if the run is resumed after its end."""
        self.restore_loop_state()
        if self.state.global_step >= self.state.max_steps or self.stopped_early:
            self.control.should_training_stop = True
        else:
            super()._run_epoch(*args, **kwargs)


def _keep_fp32(bundle: ModelBundle) -> None:
    try:
        keep_fp32(bundle.model, bundle.config.training.keep_fp32)
    except ValueError as error:
        raise InputError(f"training.keep_fp32: {error}; `diagnose precision` prints the names") from error
