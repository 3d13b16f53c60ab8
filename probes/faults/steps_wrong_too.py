"""More runs with a fault in them: weights, learning rate, scaler, evaluation, time."""

import time
from collections.abc import Iterator
from typing import Any

from probes.faults.changes import Facts
from probes.faults.steps_wrong import first, last, run


@run(
    "run_weights_run_away",
    "the learning rate is a hundred times too high",
    "STP015",
    lambda r: last(r, "weight_norm") > 3 * first(r, "weight_norm"),
    applies_to=("whisper", "e2e"),
)
def run_weights_run_away(facts: Facts) -> dict[str, Any]:
    return {"rate": lambda step: 100.0 / (1 + 0.001 * step)}


@run(
    "run_without_update",
    "the optimiser is never stepped",
    "STP016",
    lambda r: first(r, "weight_norm") == last(r, "weight_norm"),
)
def run_without_update(facts: Facts) -> dict[str, Any]:
    return {"updates": False}


@run("run_at_rate_zero", "the learning rate is zero", "STP017", lambda r: not any(r.series("lr").values))
def run_at_rate_zero(facts: Facts) -> dict[str, Any]:
    return {"rate": lambda step: 0.0, "steps": 15}


@run("run_schedule_rests", "the schedule is never stepped", "STP018", lambda r: len(set(r.series("lr").values)) == 1)
def run_schedule_rests(facts: Facts) -> dict[str, Any]:
    return {"rate": lambda step: 1.0, "schedule": "cosine", "steps": 15}


@run("run_scaler_collapses", "a gradient overflows at every step", "STP019", lambda r: last(r, "scale") < 1)
def run_scaler_collapses(facts: Facts) -> dict[str, Any]:
    import torch

    weight = next(parameter for parameter in facts["model"].parameters() if parameter.requires_grad)

    def overflow(step: int, model: Any) -> None:
        if step == 1:
            weight.register_hook(lambda gradient: gradient / 0)

    return {"scaler": torch.amp.GradScaler("cpu"), "before": overflow, "steps": 24}


@run(
    "run_overfits",
    "a few rows are learnt by heart",
    "STP020",
    lambda r: last(r, "evaluation.loss") > min(r.series("evaluation.loss").values),
    applies_to=("classifier",),
)
def run_overfits(facts: Facts) -> dict[str, Any]:
    return {"same_batch": True, "steps": 200, "evaluate_every": 20, "rate": lambda step: 20.0 / (1 + 0.001 * step)}


@run(
    "run_evaluates_a_copy",
    "the evaluated model is a copy from before the training",
    "STP021",
    lambda r: len(set(r.series("evaluation.loss").values)) == 1,
    applies_to=("classifier", "mt5"),
)
def run_evaluates_a_copy(facts: Facts) -> dict[str, Any]:
    from copy import deepcopy

    return {"evaluated": deepcopy(facts["model"]), "evaluate_every": 5, "steps": 20}


class _Slow:
    """Batches that come late."""

    def __init__(self, batches: Any) -> None:
        self.batches = batches

    def __iter__(self) -> Iterator[Any]:
        for batch in self.batches:
            time.sleep(0.06)
            yield batch


@run(
    "run_waits_for_data",
    "every batch comes late",
    "STP023",
    lambda r: last(r, "loading_seconds") > 0.05,
    applies_to=("classifier",),
)
def run_waits_for_data(facts: Facts) -> dict[str, Any]:
    facts["train_batches"] = _Slow(facts["train_batches"])
    return {"steps": 14}


@run(
    "run_becomes_slower",
    "a hook is added at every step",
    "STP024",
    lambda r: last(r, "seconds") > 2 * first(r, "seconds"),
    applies_to=("classifier",),
)
def run_becomes_slower(facts: Facts) -> dict[str, Any]:
    def add(step: int, model: Any) -> None:
        model.register_forward_hook(lambda *_: time.sleep(0.002))

    return {"before": add, "steps": 60}
