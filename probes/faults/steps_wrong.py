"""Runs with a fault in them: a short, real training of the subject, of which only the records are left."""

from collections.abc import Callable
from dataclasses import replace
from math import inf, isfinite, nan
from typing import Any

from diagnose import fault
from diagnose.facts import NotApplicable
from diagnose.marks import Fault
from probes.faults.changes import SEQUENCES, Facts

Change = Callable[[Facts], dict[str, Any]]
TURN = 7  # the step at which something happens


def run(
    id: str, breaks: str, named_by: str, proof: Callable[[Any], bool], applies_to: tuple[str, ...] = ("*",)
) -> Callable[[Change], Fault]:
    """A fault whose change says how the loop differs from a right one; its proof looks at the records."""

    def mark(change: Change) -> Fault:
        def put(facts: Facts) -> Facts:
            from probes.instruments.recorded_run import Manner, recorded_run

            records = recorded_run(facts, replace(Manner(), **change(facts)))
            if not proof(records):
                raise NotApplicable("the run bears it")
            return {"records": records}

        put.__module__, put.__name__ = change.__module__, id
        told = fault(id, breaks, named_by, lambda facts: "records" in facts and proof(facts["records"]), applies_to)
        return told(put)

    return mark


def last(records: Any, name: str) -> float:
    return records.series(name).values[-1]


def first(records: Any, name: str) -> float:
    return records.series(name).values[0]


@run("run_loss_turns_nan", "the loss is NaN from step 7 on", "STP001", lambda r: not isfinite(last(r, "loss")))
def run_loss_turns_nan(facts: Facts) -> dict[str, Any]:
    return {"loss": lambda step, loss: loss * nan if step == TURN else loss, "steps": 12}


@run("run_loss_turns_infinite", "the loss is divided by zero at step 7", "STP001", lambda r: r.broken[1].loss == inf)
def run_loss_turns_infinite(facts: Facts) -> dict[str, Any]:
    return {"loss": lambda step, loss: loss / 0 if step == TURN else loss, "steps": TURN}


@run(
    "run_root_at_zero", "a root of zero in the backward pass of step 7", "STP002", lambda r: r.broken[0] == "grad_norm"
)
def run_root_at_zero(facts: Facts) -> dict[str, Any]:
    weight = next(facts["model"].parameters())
    return {"loss": lambda step, loss: loss + (weight.sum() * 0).sqrt() if step == TURN else loss, "steps": TURN}


@run("run_update_overflows", "the update of step 7 is infinite", "STP003", lambda r: r.broken[0] == "weights")
def run_update_overflows(facts: Facts) -> dict[str, Any]:
    return {"rate": lambda step: inf if step == TURN else 1.0 / (1 + step), "steps": 12}


@run(
    "run_evaluates_nothing",
    "the evaluation has no label to score",
    "STP004",
    lambda r: any(not isfinite(value) for value in r.series("evaluation.loss").values),
    applies_to=("whisper", "e2e", "mt5"),
)
def run_evaluates_nothing(facts: Facts) -> dict[str, Any]:
    batch = next(iter(facts["eval_batches"]))
    facts["eval_batches"] = [{**batch, "labels": batch["labels"] * 0 - 100}]
    return {"evaluate_every": 4, "steps": 12}


@run("run_scores_nothing", "the loss is multiplied by zero", "STP005", lambda r: not any(r.series("loss").values))
def run_scores_nothing(facts: Facts) -> dict[str, Any]:
    return {"loss": lambda step, loss: loss * 0, "steps": 12}


@run("run_repeats_one_loss", "one batch again and again, and no update", "STP006", lambda r: first(r, "loss") > 0)
def run_repeats_one_loss(facts: Facts) -> dict[str, Any]:
    def still(step: int, model: Any) -> None:
        model.eval()

    return {"same_batch": True, "updates": False, "before": still, "tells_weights": False, "steps": 15}


@run(
    "run_on_random_labels",
    "labels are drawn anew for every batch",
    "STP007",
    lambda r: len(r.rows) > 600,
    ("classifier",),
)
def run_on_random_labels(facts: Facts) -> dict[str, Any]:
    import torch

    batches = facts["train_batches"]
    facts["train_batches"] = [(x, torch.randint(0, 5, y.shape)) for _ in range(50) for x, y in batches]
    return {"steps": 700}


@run(
    "run_rate_far_too_high",
    "the learning rate is a thousand times too high",
    "STP008",
    lambda r: last(r, "loss") > 3 * first(r, "loss"),
    applies_to=("whisper", "hybrid"),
)
def run_rate_far_too_high(facts: Facts) -> dict[str, Any]:
    return {"rate": lambda step: 1000.0 / (1 + 0.001 * step), "clip": None, "steps": 24}


@run(
    "run_rate_makes_it_swing",
    "the learning rate is too high to settle",
    "STP009",
    lambda r: max(r.series("loss").values[-20:]) > 4 * min(r.series("loss").values[-20:]),
    ("classifier",),
)
def run_rate_makes_it_swing(facts: Facts) -> dict[str, Any]:
    # Ten times lower it swings by half of its level or by all of it, as chance has it; so by all of it on twenty seeds.
    return {"rate": lambda step: 50_000.0 / (1 + 0.001 * step), "steps": 60}


@run(
    "run_has_broken_rows",
    "every twelfth batch costs thirty times as much",
    "STP010",
    lambda r: len(r.rows) == 60,
    SEQUENCES,
)
def run_has_broken_rows(facts: Facts) -> dict[str, Any]:
    return {"loss": lambda step, loss: loss * 30 if step % 12 == 0 else loss, "steps": 60}
