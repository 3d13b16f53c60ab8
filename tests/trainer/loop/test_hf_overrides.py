"""The private methods of transformers' Trainer that we override or call, with the signatures of the pinned version."""

import ast
import inspect
from pathlib import Path

import pytest
from transformers import Seq2SeqTrainer, Trainer

import trainer
from trainer.loop import trainer as loop
from trainer.loop.accumulation import AccumulationMixin
from trainer.loop.checkpoints.state_files_mixin import StateFilesMixin
from trainer.loop.checkpoints.trainer_mixin import CheckpointMixin
from trainer.loop.evaluation import EvaluationMixin
from trainer.loop.guard.trainer_mixin import GuardMixin

OURS = (loop.RunTrainer, GuardMixin, AccumulationMixin, CheckpointMixin, StateFilesMixin, EvaluationMixin)
EPOCH = "epoch train_dataloader steps_in_epoch num_update_steps_per_epoch trial ignore_keys_for_eval start_time"
OVERRIDDEN = {
    "_determine_best_metric": "metrics trial",
    "_evaluate": "trial ignore_keys_for_eval skip_scheduler",
    "_get_grad_norm": "model grad_norm",
    "_init_training_state": "max_steps num_update_steps_per_epoch num_train_epochs resume_from_checkpoint trial",
    "_issue_warnings_after_load": "load_result",
    "_load_best_model": "",
    "_load_optimizer_and_scheduler": "checkpoint",
    "_load_rng_state": "checkpoint",
    "_load_scaler": "checkpoint",
    "_maybe_log_save_evaluate": "tr_loss grad_norm model trial epoch ignore_keys_for_eval start_time learning_rate",
    "_prepare_for_training": "max_steps train_dataloader resume_from_checkpoint",
    "_prepare_input": "data",
    "_run_epoch": f"model {EPOCH} resume_from_checkpoint epochs_trained steps_trained_in_current_epoch",
    "_save": "output_dir state_dict",
    "_save_checkpoint": "model trial",
}
CALLED = {
    "_get_learning_rate": "",
    "_prepare_inputs": "inputs",
    "_save_optimizer_and_scheduler": "output_dir",
    "_save_rng_state": "output_dir",
    "_save_scaler": "output_dir",
}
PUBLIC = {
    "compute_loss": "model inputs return_outputs num_items_in_batch",
    "evaluation_loop": "dataloader description prediction_loss_only ignore_keys metric_key_prefix",
    "floating_point_ops": "inputs",
    "get_batch_samples": "epoch_iterator num_batches device",
    "get_eval_dataloader": "eval_dataset",
    "get_train_dataloader": "",
    "log": "logs start_time",
    "training_step": "model inputs num_items_in_batch",
}
ATTRIBUTES = {"_globalstep_last_logged", "_total_loss_scalar", "_tr_loss"}
EVERY = OVERRIDDEN | CALLED | PUBLIC


def parameters(function: object) -> list[str]:
    return list(inspect.signature(function).parameters)[1:]


def overridden() -> set[str]:
    return {name for one in OURS for name in vars(one) if hasattr(Seq2SeqTrainer, name) and not name.startswith("__")}


def private_names() -> set[str]:
    """Attributes with one underscore that trainer/ reads from anything, such as `self._save` or `trainer._tr_loss`."""
    files = Path(trainer.__file__).parent.rglob("*.py")
    nodes = (node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


def test_what_is_overridden_is_listed():
    assert overridden() - {"loss_is_scaled_for_ga"} == OVERRIDDEN.keys() | PUBLIC.keys()


def test_private_methods_that_are_called_are_listed():
    methods = {name for name in private_names() if hasattr(Seq2SeqTrainer, name)}
    assert methods - OVERRIDDEN.keys() == CALLED.keys()


@pytest.mark.parametrize("name", EVERY)
def test_transformers_has_the_pinned_parameters(name):
    assert parameters(getattr(Seq2SeqTrainer, name)) == EVERY[name].split()


@pytest.mark.parametrize("name", OVERRIDDEN | PUBLIC)
def test_an_override_takes_the_same_arguments(name):
    names = EVERY[name].split()
    for one in OURS:
        if name in vars(one):
            signature = inspect.signature(vars(one)[name])
            signature.bind(None, *names)
            signature.bind(None, **dict.fromkeys(names))


@pytest.mark.parametrize("name", sorted(ATTRIBUTES))
def test_transformers_has_the_private_attributes(name):
    assert f"self.{name} = " in inspect.getsource(Trainer)


@pytest.mark.parametrize("name", OVERRIDDEN)
def test_the_page_of_the_loop_names_the_override_and_its_mixin(name):
    owners = [one.__name__ for one in OURS if name in vars(one)]
    _, _, after = (loop.__doc__ or "").partition(f"{name}(")
    assert after and all(owner in "\n".join(after.splitlines()[:3]) for owner in owners)
