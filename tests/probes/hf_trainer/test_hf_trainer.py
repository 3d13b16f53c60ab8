"""A stock Seq2SeqTrainer: all facts are taken from it, nothing is left in it, and its run does not notice."""

import numpy as np
import pytest
import torch
from transformers import Seq2SeqTrainer

import diagnose
from diagnose.engine.engine import installed
from probes.healthy import healthy
from tests.support.hf_trainers import traces, trainer_of
from tests.support.state_picture import picture

pytestmark = pytest.mark.slow  # whole runs


def losses_of(trainer):
    trainer.train()
    return [(entry["loss"], entry["grad_norm"], entry["learning_rate"]) for entry in trainer.state.log_history[:-1]]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["whisper", "mt5"])
def test_its_twenty_steps_are_the_same_after_a_preflight(tmp_path, name):
    runs = []
    for look_first in (True, False):
        torch.manual_seed(1)
        np.random.seed(1)
        trainer = trainer_of(tmp_path, name)
        if look_first:
            report = diagnose.preflight(trainer=trainer)
            assert report.verdict == "go", report.headline
        runs.append(losses_of(trainer))
    assert runs[0] == runs[1] and len(runs[0]) == 20


@pytest.mark.parametrize("seed", range(1, 6))
def test_a_healthy_one_is_not_called_deaf(tmp_path, seed):
    """With what rows lose and gain by other inputs cancelling out, or when it begins to listen late."""
    trainer = trainer_of(tmp_path, subject=seed, seed=seed)
    assert installed().context({"trainer": trainer}).get("overfit_curve").ended in ("learnt", "still falling")


def test_nothing_is_left_behind_in_it(tmp_path):
    trainer = trainer_of(tmp_path, dataloader_num_workers=1, dataloader_persistent_workers=True)
    before, model = traces(trainer), picture(trainer.model)
    report = diagnose.preflight(trainer=trainer)
    assert report.verdict == "go", report.headline
    assert traces(trainer) == before and picture(trainer.model) == model
    assert trainer.optimizer is None and trainer.lr_scheduler is None and not trainer.accelerator._dataloaders


def test_every_fact_is_taken_from_it(tmp_path):
    trainer = trainer_of(tmp_path)
    context = installed().context({"trainer": trainer})
    before = traces(trainer)
    facts = ["model", "train_batches", "eval_batches", "train_dataset", "eval_dataset", "collate", "compute_loss"]
    facts += ["optimizer", "scheduler", "total_steps", "training_arguments", "tokenizer", "precision", "seed"]
    got = {name: context.get(name) for name in facts}
    assert traces(trainer) == before
    assert got["model"] is trainer.model and got["training_arguments"] is trainer.args
    assert got["total_steps"] == 20 and got["precision"] == "fp32" and got["seed"] == 42
    assert len(list(got["eval_batches"])) == 5 and got["tokenizer"] is trainer.processing_class
    held = [parameter for group in got["optimizer"].param_groups for parameter in group["params"]]
    trainable = [parameter for parameter in trainer.model.parameters() if parameter.requires_grad]
    assert {id(parameter) for parameter in held} == {id(parameter) for parameter in trainable}


def test_the_schedule_is_simulated_on_a_stand_in(tmp_path):
    trainer = trainer_of(tmp_path)
    context = installed().context({"trainer": trainer})
    optimizer, scheduler = context.get("optimizer"), context.get("scheduler")
    rates = []
    for _ in range(20):
        rates.append(scheduler.get_last_lr()[0])
        scheduler.optimizer.step()
        scheduler.step()
    assert rates[0] == 0.0 and max(rates) == 1e-3 and rates.index(1e-3) == 5
    assert [group["lr"] for group in optimizer.param_groups] == [1e-3, 1e-3]


def test_an_optimiser_of_the_users_own_is_taken_as_it_is(tmp_path):
    facts = healthy("whisper")
    trainer = trainer_of(tmp_path, optimizers=(torch.optim.SGD(facts["model"].parameters(), lr=0.5), None))
    context = installed().context({"trainer": trainer})
    assert context.get("optimizer") is trainer.optimizer
    before = dict(trainer.optimizer.param_groups[0])
    context.get("scheduler")
    assert trainer.optimizer.param_groups[0] == before and "step" not in vars(trainer.optimizer)
    assert diagnose.preflight(trainer=trainer).diagnosis[0].probe == "PAR006"  # it holds another model's weights


class Counting(Seq2SeqTrainer):
    """Overrides the loss and keeps books, as users do."""

    def compute_loss(self, model, inputs, return_outputs=False, **more):
        self.seen = getattr(self, "seen", 0) + 1
        self.state.global_step += 1
        loss = super().compute_loss(model, inputs, return_outputs=return_outputs, **more)
        return loss * 0


def test_an_overridden_loss_is_the_one_that_is_looked_at(tmp_path):
    trainer = trainer_of(tmp_path, trainer=Counting)
    report = diagnose.preflight(trainer=trainer)
    assert report.diagnosis[0].probe == "LOS002"
    assert not hasattr(trainer, "seen") and trainer.state.global_step == 0


def test_columns_that_the_trainer_removes_are_seen_through_its_own_loader(tmp_path):
    report = diagnose.preflight(trainer=trainer_of(tmp_path, remove_unused_columns=True))
    root = report.diagnosis[0]
    assert root.probe == "CFG002" and "remove_unused_columns" in root.finding.fix
    assert "DAT003" in {finding.probe for finding in report.findings}
