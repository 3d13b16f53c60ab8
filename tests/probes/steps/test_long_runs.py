"""Long runs: never learnt, swinging, a growing norm, a metric at its worst; recorded healthy runs are silent."""

import math
import random
from dataclasses import replace
from pathlib import Path

import pytest

from diagnose.curves.read_log import read
from diagnose.records import Record, Records
from tests.probes.steps.test_steps_stage import alarms, cosine

HEALTHY = sorted((Path(__file__).parents[2] / "diagnose" / "curves" / "healthy_logs").glob("*.csv"))


def never_learnt(draw):
    """4.007 to 4.005 in 3,000 steps; the learning rate decays to nothing, WER stays at 97."""
    rows = [
        Record(s, loss=4.007 - s * 7e-7 + draw.gauss(0, 0.01), lr=cosine(s, 3000, 50, 1e-3))
        for s in range(10, 3001, 10)
    ]
    rows += [
        Record(s, evaluation={"loss": 4.0 + draw.gauss(0, 0.002), "wer": draw.gauss(97, 0.5)})
        for s in range(500, 3001, 500)
    ]
    return sorted(rows, key=lambda row: row.step)


def swinging(draw):
    """Any loss between 1 and 5 for 600 steps."""
    return [Record(s, loss=draw.uniform(1, 5), lr=cosine(s, 600, 50, 1e-3)) for s in range(1, 601)]


def growing_norm(draw):
    """From 1 to 65 in a straight line; the loss falls by a third."""
    norms = [(1 + 64 * s / 600) * draw.gauss(1, 0.1) for s in range(1, 601)]
    return [Record(s, loss=4 - s / 450 + draw.gauss(0, 0.1), grad_norm=norm) for s, norm in enumerate(norms, 1)]


def wavering_metric(draw):
    """The loss falls to a seventh, and no word is right."""
    rows = [Record(s, loss=4 * math.exp(-s / 1500) + draw.gauss(0, 0.05)) for s in range(10, 3001, 10)]
    rows += [
        Record(s, evaluation={"wer": draw.gauss(97, 1), "bleu": abs(draw.gauss(0.4, 0.2))})
        for s in range(300, 3001, 300)
    ]
    return sorted(rows, key=lambda row: row.step)


@pytest.mark.parametrize(
    ("run", "probe"),
    [(never_learnt, "STP007"), (swinging, "STP009"), (growing_norm, "STP026"), (wavering_metric, "STP021")],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_a_long_run_with_a_fault_is_told_in_ten_seeds_of_ten(run, probe):
    found = [{id for id, *_ in alarms(Records.of(run(random.Random(seed)), finished=True))} for seed in range(10)]
    assert all(probe in ids for ids in found), found


def test_two_dozen_recorded_healthy_runs_are_silent_at_every_look():
    """Of stock Trainers, plain loops and the demo: recorded as they were, with four places."""
    assert len(HEALTHY) >= 20
    for path in HEALTHY:
        records = read(path)
        for end in {*range(20, len(records.rows), 40), len(records.rows)}:
            assert not alarms(replace(records, rows=records.rows[:end])), (path.name, end)


@pytest.mark.parametrize(
    ("name", "values", "losses", "told"),
    [
        ("wer", (99, 97, 95, 92, 91), (5.0, 4.0), False),  # on its way
        ("wer", (97, 96.4, 97.2), (5.0, 0.5), True),
        ("wer", (0.97, 0.99, 0.96), (5.0, 4.5), True),
        ("wer", (0.97, 0.99, 0.96), (0.5, 0.1), False),  # percent: one word in a hundred
        ("rougeL", (0.004, 0.011, 0.007), (5.0, 2.0), True),
        ("rougeL", (0.30, 0.31, 0.30), (5.0, 2.0), False),
        ("accuracy", (0.011, 0.012, 0.009), (5.0, 4.9), False),  # of how many classes nobody knows
    ],
)
def test_a_metric_that_wavers_at_its_worst(name, values, losses, told):
    slope = (losses[1] - losses[0]) / (300 * len(values))
    rows = [Record(s, loss=losses[0] + slope * s) for s in range(10, 300 * len(values) + 1, 10)]
    rows += [Record(300 * n, evaluation={name: value}) for n, value in enumerate(values, 1)]
    found = {id for id, *_ in alarms(Records.of(sorted(rows, key=lambda row: row.step)))}
    assert ("STP021" in found) is told


def test_a_run_that_learnt_and_rests_at_its_end_is_left_alone():
    draw = random.Random(0)
    fall = [
        Record(s, loss=2 + 2 * math.exp(-s / 100) + draw.gauss(0, 0.05), lr=cosine(s, 3000, 50, 1e-3))
        for s in range(10, 3001, 10)
    ]
    assert not alarms(Records.of(fall, finished=True))
