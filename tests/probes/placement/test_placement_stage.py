"""Placement: devices, dtypes and modes, on purpose and by accident."""

import pytest
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, mse_loss

import diagnose
from probes.healthy import healthy
from tests.support.parameter_stages import STAGES, adamw, found, looked


def test_batch_norm_at_rest_is_judged_by_its_statistics():
    facts = healthy("classifier")
    facts["model"].train()
    facts["model"][1].eval()
    assert found(looked(**facts)) == [("PLC005", "1")]
    facts["model"][1].num_batches_tracked += 100
    assert found(looked(**facts), "note") == [("PLC005", "1")]
    facts["model"].eval()  # as from_pretrained gives it: the run has to change that, and does
    assert not looked(**facts).findings


def stepping(facts, before):
    def training_step(batch):
        before()
        facts["optimizer"].zero_grad()
        cross_entropy(facts["model"](batch[0]), batch[1]).backward()
        facts["optimizer"].step()

    return facts | {"training_step": training_step}


def test_a_step_that_puts_the_model_to_rest_is_an_error_and_one_that_finds_it_so_is_a_note():
    facts = healthy("classifier")
    assert not looked(**stepping(facts, facts["model"].train)).findings
    assert found(looked(**stepping(facts, facts["model"].eval))) == [("PLC006", "training_step")]
    facts["model"].eval()
    assert found(looked(**stepping(facts, lambda: None)), "note") == [("PLC006", "training_step")]
    assert not looked(**stepping(facts, facts["model"].train)).findings


class Masters(torch.optim.AdamW):
    """Keeps float32 copies, and would write them back."""

    def __init__(self, model):
        super().__init__([one.detach().float().requires_grad_() for one in model.parameters()], lr=1e-3)


def test_sixteen_bits_are_fine_where_they_are_frozen_or_have_masters():
    model = nn.Sequential(nn.Linear(12, 24).bfloat16().requires_grad_(False), nn.Linear(24, 5))
    report = diagnose.preflight(select=["PLC002"], model=model, optimizer=adamw(model))
    assert not report.findings
    model[1].bfloat16()
    assert found(diagnose.preflight(select=["PLC002"], model=model)) == [("PLC002", "1.weight")]
    assert not diagnose.preflight(select=["PLC002"], model=model, optimizer=Masters(model)).findings


def test_a_loss_that_converts_the_batch_itself_makes_float64_a_note():
    facts = healthy("classifier")
    facts["train_batches"] = [(x.double(), y) for x, y in facts["train_batches"]]
    facts["compute_loss"] = lambda model, batch: cross_entropy(model(batch[0].float()), batch[1])
    assert found(looked(**facts), "note") == [("PLC004", "batch[0]")] and not found(looked(**facts))


@pytest.mark.parametrize("loss", [mse_loss, binary_cross_entropy_with_logits])
def test_labels_of_floats_are_fine_where_the_loss_takes_them(loss):
    facts = healthy("classifier")
    facts["train_batches"] = [(x, torch.eye(5)[y]) for x, y in facts["train_batches"]]
    facts["compute_loss"] = lambda model, batch: loss(model(batch[0]), batch[1])
    assert not looked(**facts).findings


def test_double_precision_as_a_whole_is_taken_as_meant():
    facts = healthy("classifier")
    facts["model"].double()
    facts["train_batches"] = [(x.double(), y) for x, y in facts["train_batches"]]
    assert not looked(**facts).findings


def test_a_buffer_in_float64_is_named_though_the_step_works():
    facts = healthy("classifier")
    facts["model"].register_buffer("scale", torch.ones(1, dtype=torch.float64))
    assert found(looked(**facts)) == [("PLC004", "scale")]


def test_a_model_that_was_never_loaded_is_one_root():
    facts = healthy("whisper")
    facts["model"].to("meta")
    facts["optimizer"] = adamw(facts["model"])
    report = diagnose.preflight(stages=STAGES, **facts)
    assert [root.probe for root in report.diagnosis] == ["PLC001"]
