"""The facts of the first step: its loss, its gradients, and plain values only."""

import math

import pytest

from diagnose.engine.engine import installed
from probes.healthy import NAMES, healthy


def fact(name, **given):
    return installed().context(given).get(name)


@pytest.mark.parametrize("name", NAMES)
def test_the_first_step_tells_the_loss_and_every_gradient(name):
    facts = healthy(name)
    step = fact("first_step", **facts)
    trainable = [parameter for parameter in facts["model"].parameters() if parameter.requires_grad]
    assert step.failure is None and step.passes == 1 and math.isfinite(step.loss.value)
    assert len(step.gradients.rows) == len(trainable) and step.gradients.norm > 0
    moved = [row for row in step.gradients.rows if row.norm]
    assert all(row.moved and 0 < row.changed <= 1 and row.finite for row in moved)
    assert step.loss.scored_tokens > 0 and step.loss.vocabulary == step.loss.logits.shape[-1]
    assert step.forward_seconds > 0 and step.backward_seconds > 0


def test_the_loss_stands_beside_what_the_book_says():
    loss = fact("first_loss", **healthy("whisper"))
    assert loss.value == pytest.approx(loss.cross_entropy, rel=1e-5)
    assert loss.scored_positions == loss.scored_tokens
    assert loss.value == pytest.approx(math.log(loss.vocabulary), rel=0.1) and loss.logits.std < 1
    parts = fact("first_loss", **healthy("hybrid")).parts
    assert set(parts) == {"att_loss", "ctc_loss"}


def test_no_tensor_and_no_model_hides_in_a_derived_fact():
    context = installed().context(healthy("hybrid"))

    def plain(value):
        if isinstance(value, dict):
            return all(plain(entry) for entry in value.values())
        if isinstance(value, tuple):
            return all(plain(entry) for entry in value)
        fields = getattr(value, "__dataclass_fields__", None)
        if fields:
            return all(plain(getattr(value, name)) for name in fields)
        return isinstance(value, int | float | str | bool | type(None))

    for name in ("first_step", "gradient_reach", "label_rows", "optimizer_parameters", "packages", "torch_builds"):
        assert plain(context.get(name)), name
