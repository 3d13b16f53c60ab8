"""Saving: by the run's own means, and compared only where a pass repeats itself."""

import pytest
import torch
from torch import nn
from torch.utils.data import Dataset
from transformers import Trainer, TrainingArguments

from diagnose.engine.engine import installed
from probes.healthy import healthy
from tests.support.hf_trainers import traces, trainer_of
from tests.support.state_picture import picture


class Numbers(Dataset):
    def __len__(self):
        return 16

    def __getitem__(self, index):
        return {"x": torch.full((4,), float(index)) / 16, "labels": torch.tensor(index % 2)}


class Plain(nn.Module):
    """No model of transformers."""

    def __init__(self, noise=0.0):
        super().__init__()
        self.inner, self.outer, self.noise = nn.Linear(4, 4), nn.Linear(4, 4), noise
        self.head = nn.Linear(4, 2)

    def forward(self, x, labels=None):
        hidden = self.outer(torch.relu(self.inner(x))) + self.noise * torch.randn(x.shape)
        logits = self.head(hidden)
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


def plain_trainer(folder, model, kind=Trainer):
    arguments = TrainingArguments(str(folder), report_to="none", use_cpu=True, save_strategy="no", disable_tqdm=True)
    return kind(model=model, args=arguments, train_dataset=Numbers())


def saved(**facts):
    return installed().context(facts).get("saved_model")


def test_a_plain_module_is_saved_and_loaded_by_the_trainer(tmp_path):
    trainer = plain_trainer(tmp_path, Plain())
    before, weights = traces(trainer), picture(trainer.model)
    found = saved(trainer=trainer)
    assert found.way == "trainer.save_model" and found.failure is None and found.change == 0
    assert traces(trainer) == before and picture(trainer.model) == weights and not list(tmp_path.iterdir())


def test_shared_tensors_that_the_trainer_cannot_write_are_told(tmp_path):
    model = Plain()
    model.outer.weight = model.inner.weight
    found = saved(trainer=plain_trainer(tmp_path, model))
    assert found.phase == "saving" and "share memory" in found.failure.message


def test_a_trainer_that_saves_too_little_is_told(tmp_path):
    class Forgetful(Trainer):
        def _save(self, output_dir=None, state_dict=None):
            super()._save(output_dir, {n: t for n, t in self.model.state_dict().items() if "outer" not in n})

    model = Plain()
    model._keys_to_ignore_on_save = None  # without it, transformers itself raises where keys are missing
    assert saved(trainer=plain_trainer(tmp_path, model, Forgetful)).change > 1e-3


def test_a_forward_method_that_was_replaced_is_run_with_the_reloaded_weights(tmp_path):
    trainer = trainer_of(tmp_path, "mt5")
    forward = trainer.model.forward

    def with_more(*args, **kwargs):
        output = forward(*args, **kwargs)
        output["log_probs"] = output.logits.log_softmax(-1)
        return output

    trainer.model.forward = with_more
    trainer.compute_loss = lambda model, inputs, **more: model(**inputs)["log_probs"].pow(2).mean()
    found = saved(trainer=trainer)
    assert found.failure is None and found.change == 0


def test_a_model_that_draws_in_evaluation_gets_the_same_numbers_twice():
    facts = healthy("classifier")
    forward = facts["model"].forward
    facts["model"].forward = lambda *args, **kwargs: _noisy(forward(*args, **kwargs))
    found = saved(**facts)
    assert found.failure is None and found.change == 0


def _noisy(output):
    return (
        output * (1 + torch.rand(()))
        if isinstance(output, torch.Tensor)
        else type(output)({name: value * (1 + torch.rand(())) for name, value in output.items()})
    )


def test_a_loss_that_no_seed_repeats_is_not_compared():
    facts = healthy("classifier")
    count = iter(range(10_000))
    compute = facts["compute_loss"] if "compute_loss" in facts else lambda model, batch: model(**batch).loss
    facts["compute_loss"] = lambda model, batch: compute(model, batch) + next(count)
    assert saved(**facts).change is None


@pytest.mark.parametrize("name", ["mt5", "hybrid"])
def test_without_a_trainer_the_model_saves_itself(name):
    found = saved(**healthy(name))
    assert found.way in ("save_pretrained", "state_dict") and found.failure is None and found.change == 0
