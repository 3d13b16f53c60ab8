"""What a step is taken with: defaults for what was not given, and an optimizer only where an update needs it."""

import math

import pytest
from torch import nn

from diagnose.common.provider import Provider
from diagnose.engine.context import Context, FactFailed
from diagnose.engine.engine import installed
from probes.facts.core.model_output import loss_of_output
from probes.facts.core.step_setup import labels_of_batch
from probes.healthy import healthy


def fact(name, **facts):
    return installed().context(facts).get(name)


def test_a_step_is_set_up_with_the_defaults_for_what_is_not_given():
    model = nn.Linear(3, 2)
    setup = fact("step_setup", model=model)
    assert (setup.model, setup.compute_loss, setup.labels_of) == (model, loss_of_output, labels_of_batch)
    assert (setup.optimizer, setup.inputs_of, setup.also_restore) == (None, None, ())
    own = {"compute_loss": lambda model, batch: 0, "labels_of": lambda batch: batch, "inputs_of": lambda batch: batch}
    setup = fact("step_setup", model=model, **own)
    assert {name: getattr(setup, name) for name in own} == own


def test_an_optimizer_that_cannot_be_built_blocks_only_what_takes_an_update():
    def optimizer():
        raise ImportError("bitsandbytes is not installed")

    facts = {name: value for name, value in healthy("mt5").items() if name != "optimizer"}
    context = Context(facts, [Provider(optimizer), *installed().providers])
    assert math.isfinite(context.get("eval_forward").loss)
    with pytest.raises(FactFailed, match="bitsandbytes"):
        context.get("first_step")
