"""Runs whose gradients go wrong: too large, too small, none, or never cleared."""

from typing import Any

from probes.faults.changes import Facts
from probes.faults.steps_wrong import first, last, run


@run(
    "run_gradient_explodes", "the gradient grows by half at every step", "STP011", lambda r: last(r, "grad_norm") > 1e5
)
def run_gradient_explodes(facts: Facts) -> dict[str, Any]:
    return {"loss": lambda step, loss: loss.detach() + (loss - loss.detach()) * 1.5**step}


@run(
    "run_loss_detached",
    "the loss is detached from the weights",
    "STP012",
    lambda r: not any(r.series("grad_norm").values),
)
def run_loss_detached(facts: Facts) -> dict[str, Any]:
    return {"loss": lambda step, loss: loss.detach(), "steps": 12}


@run(
    "run_gradient_vanishes",
    "the gradient is a tenth of the last one at each of the first steps",
    "STP013",
    lambda r: 0 < last(r, "grad_norm") < 1e-5,
)
def run_gradient_vanishes(facts: Facts) -> dict[str, Any]:
    return {
        "loss": lambda step, loss: loss.detach() + (loss - loss.detach()) * 0.1 ** min(step, 10),
        "rate": lambda s: 0.1 + 0.001 * s,
    }


@run(
    "run_without_zero_grad",
    "gradients are never cleared",
    "STP014",
    lambda r: last(r, "grad_norm") > 3 * first(r, "grad_norm"),
)
def run_without_zero_grad(facts: Facts) -> dict[str, Any]:
    return {"clears": False, "clip": None, "steps": 80}
