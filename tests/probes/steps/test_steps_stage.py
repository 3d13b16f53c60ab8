"""The steps stage: silent on healthy runs however they look, exact on real runs with a fault, sound in statistics."""

import math
import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from diagnose import Severity
from diagnose.engine import discovery
from diagnose.engine.engine import Engine
from diagnose.records import GeneratedText, Record, RecordLog, Records
from diagnose.records.records import MAX_ROWS
from probes.healthy import healthy
from probes.reporting.trend_tests import binned, kendall_tau, noise, p_value_of_fall, p_value_of_rise
from probes.subjects.short_run import LoopVariant, short_run

STEPS = Engine(tuple(probe for probe in discovery.probes().items if probe.id.startswith("STP")), ())
FAULTS = {fault.id: fault for fault in discovery.faults().items if fault.probe_id.startswith("STP")}


def report_of(records):
    report = STEPS.examine(STEPS.context({"records": records}))
    assert not [outcome for outcome in report.outcomes if outcome.status in ("blocked", "crashed")]
    return report


def alarms(records):
    return [(f.probe, f.where, f.message) for f in report_of(records).findings if f.severity is not Severity.NOTE]


def at_every_look(records, every=1):
    """What a guard would have said while the run grew."""
    for end in {*range(1, len(records.rows), every), len(records.rows)}:
        yield from alarms(replace(records, rows=records.rows[:end]))


@pytest.mark.parametrize("name", ["classifier", "mt5"])
def test_a_healthy_run_is_silent_at_every_look(name):
    records = short_run(healthy(name), LoopVariant(steps=60 if name == "classifier" else 30, evaluate_every=10))
    assert not list(at_every_look(records, every=3))


def gauss(seed):
    draw = random.Random(seed)
    return lambda spread: draw.gauss(0, spread)


def cosine(step, total, warm, peak):
    return peak * step / warm if step < warm else peak * 0.5 * (1 + math.cos(math.pi * (step - warm) / (total - warm)))


def slow_fine_tune(noisy):
    """lr 1e-5 with 500 steps of warm-up: the loss moves from 5.6864 to 5.6847 in 20 steps."""
    return [
        Record(s, loss=5.6864 - 0.00009 * s, lr=2e-8 * s, grad_norm=3.1 + noisy(0.1), weight_norm=351.25)
        for s in range(1, 21)
    ]


def to_zero(noisy):
    """A healthy overfit under a cosine that ends at zero."""
    curve = [(s, 6.0 * math.exp(-s / 25) * math.exp(noisy(0.3)) + 1e-6) for s in range(1, 301)]
    return [Record(s, loss=v, lr=cosine(s, 300, 30, 1e-3), grad_norm=min(4.0, 8 * v) + 1e-4) for s, v in curve]


def rounded(noisy):
    """Logs of a library that rounds: losses to four places, rates to six."""
    return [Record(s, loss=round(row.loss, 4), lr=round(row.lr, 6)) for s, row in enumerate(to_zero(noisy), 1)]


def blank_plateau(noisy):
    """CTC alone: from 11 to the plateau of blanks at 2.96, two hundred steps of it, then down."""
    heights = [2.96 + 8.0 * math.exp(-s / 8) - (0.012 * max(0, s - 250)) for s in range(1, 401)]
    return [Record(s, loss=max(0.2, v + noisy(0.04)), parts={"ctc": 1.0}, lr=1e-3) for s, v in enumerate(heights, 1)]


def phases(noisy):
    """CTC alone for 100 steps, then a joint loss of twice the height."""
    first = [Record(s, loss=3.0 + 6 * math.exp(-s / 8) + noisy(0.05), parts={"ctc": 1.0}) for s in range(1, 101)]
    both = {"ctc": 1.0, "att": 1.0}
    return first + [Record(s, loss=13.0 - 0.01 * (s - 100) + noisy(0.05), parts=both) for s in range(101, 301)]


def resumed(noisy):
    """Killed at step 120, taken up at 100; later logged by another machine from step 400 on."""
    line = lambda s: Record(s, loss=5.0 - 0.004 * s + noisy(0.05), lr=1e-3 * (1 - s / 1000))  # noqa: E731
    return [line(s) for s in (*range(1, 121), *range(101, 200), *range(400, 600))]


def one_row_a_batch(noisy):
    """Classification with one row a batch: noise of half the loss, a slow fall."""
    return [
        Record(s, loss=1.7 * math.exp(-s / 900 + noisy(0.5)), grad_norm=2 * math.exp(noisy(0.6))) for s in range(1, 401)
    ]


def in_halves(noisy):
    """A gradient scaler looks for its scale: the first gradients are infinite, and one after 2000 steps."""
    bad = {1, 2, 3, 2003}
    return [
        Record(s, loss=4.0 - 0.0005 * s + noisy(0.02), grad_norm=math.inf if s in bad else 1.0 + abs(noisy(0.2)))
        for s in (*range(1, 60), *range(1990, 2010))
    ]


def converged(noisy):
    """Learnt within 200 steps, and rests for two thousand more; the dev set is read perfectly."""
    rows = [
        Record(s, loss=0.05 + 6 * math.exp(-s / 60) + abs(noisy(0.01)), lr=1e-4 + 1e-9 * s) for s in range(10, 2401, 10)
    ]
    dev = [
        Record(s, evaluation={"loss": 0.08 + noisy(0.002), "wer": 0.0, "accuracy": 1.0}) for s in range(400, 2401, 400)
    ]
    return sorted(rows + dev, key=lambda row: row.step)


def every_fifty(noisy):
    """Logged every 50 steps, evaluated three times."""
    rows = [
        Record(s, loss=6.0 * math.exp(-s / 2000) + noisy(0.05), lr=cosine(s, 3000, 300, 1e-4))
        for s in range(50, 3001, 50)
    ]
    dev = [
        Record(s, evaluation={"loss": value, "wer": 100 - s / 50})
        for s, value in ((1000, 3.9), (2000, 2.8), (3000, 2.85))
    ]
    return sorted(rows + dev, key=lambda row: row.step)


HEALTHY = [
    slow_fine_tune,
    to_zero,
    rounded,
    blank_plateau,
    phases,
    resumed,
    one_row_a_batch,
    in_halves,
    converged,
    every_fifty,
]


@pytest.mark.parametrize("look", HEALTHY, ids=lambda look: look.__name__)
def test_what_only_looks_ill_gives_no_alarm_at_any_look(look):
    for seed in range(3):
        records = Records.of(look(gauss(seed)), scaled=True if look is in_halves else None)
        assert not list(at_every_look(records, every=7)), (seed, look.__doc__)


@pytest.mark.parametrize(
    "id", ["run_without_zero_grad", "run_without_update", "run_loss_turns_nan", "run_scaler_collapses"]
)
def test_a_real_fault_is_named_while_the_run_goes_on_and_nothing_else_is(id):
    """The rest of the faults goes through tests/laws/test_faults.py."""
    fault = FAULTS[id]
    records = fault.inject(healthy("classifier"))["records"]
    told = [probe for probe, *_ in at_every_look(records)]
    roots = [root.probe for root in report_of(records).diagnosis if root.severity is not Severity.NOTE]
    assert told[0] == fault.probe_id and roots == [fault.probe_id]


def test_every_probe_of_the_stage_has_a_real_run_that_it_names():
    assert {probe.id for probe in STEPS.probes} == {fault.probe_id for fault in FAULTS.values()}


def lost(at, norms=(), scaled=None):
    """Losses fall until a step, and from there on they are NaN; gradient norms of some steps are not finite."""
    bad = {**dict.fromkeys(norms, math.inf), **dict.fromkeys(range(at, 61), math.nan)}
    rows = [
        Record(s, loss=5.0 - s / 20 if s < at else math.nan, grad_norm=bad.get(s, 1.0 + s % 3 / 9))
        for s in range(1, 61)
    ]
    return Records.of(rows, scaled=scaled)


@pytest.mark.parametrize("scaled", [True, False, None])
def test_a_scaler_that_sought_its_scale_hides_no_later_end(scaled):
    records = lost(40, norms=(1, 2), scaled=scaled)
    assert [probe for probe, *_ in alarms(records)] == ["STP001"] and records.broken[1].step == 40
    assert all(math.isfinite(row.grad_norm) for row in records.finite_part.rows)
    evaluated = [Record(s, evaluation={"loss": math.nan}) for s in (10, 20, 30)]
    early = [row for row in records.rows if row.step < 40]
    rows = sorted([*early, *evaluated], key=lambda row: row.step)
    assert "STP004" in [probe for probe, *_ in alarms(Records.of(rows, scaled=scaled))]


def test_norms_that_are_lost_after_a_search_are_an_error():
    found = dict.fromkeys((1, 2, 3, *range(40, 61)), math.nan)
    rows = [Record(s, loss=5.0 - s / 20 if s < 40 else 0.0, grad_norm=found.get(s, 1.0)) for s in range(1, 61)]
    (finding,) = report_of(Records.of(rows)).findings
    assert (finding.probe, finding.severity, finding.where) == ("STP002", "error", "step 40")
    assert "logging_nan_inf_filter" in finding.message


def test_large_losses_whose_sum_is_infinite_are_not_broken():
    assert Records.of(Record(s, loss=1e308) for s in range(1, 5)).broken is None


def test_a_gradient_that_comes_back_from_nothing_has_not_exploded():
    """All is learnt, and one row is met that was not."""
    rows = [Record(s, loss=5 / s, grad_norm=8.0 if s == 50 else 5.0 * 0.7**s + 1e-4) for s in range(1, 61)]
    assert not alarms(Records.of(rows))
    assert alarms(Records.of([replace(row, grad_norm=row.grad_norm * (1e3 if row.step == 50 else 1)) for row in rows]))


@pytest.mark.parametrize(
    ("schedule", "steps", "found"),
    [("cosine", 2, False), ("cosine", 3, True), ("constant_with_warmup", 9, False), (None, 9, False)],
)
def test_a_schedule_that_is_known_moves_at_once(schedule, steps, found):
    rows = [Record(s, loss=5.0 - s / 9, lr=1e-3) for s in range(1, steps + 1)]
    records = Records.of(rows, schedule=schedule, scaled=False)
    assert ("STP018" in [probe for probe, *_ in alarms(records)]) is found
    assert not alarms(replace(records, source="a log that rounds"))


def test_the_first_thing_that_broke_is_the_root_and_what_follows_is_not_told_beside_it():
    records = FAULTS["run_loss_turns_nan"].inject(healthy("classifier"))["records"]
    assert not records.rows[-1].weights_finite and not math.isfinite(records.rows[-1].grad_norm)
    (finding,) = report_of(records).findings
    assert (finding.probe, finding.where, finding.severity) == ("STP001", "step 7", "error")
    assert "first 10 steps" in finding.message


@pytest.mark.parametrize(
    ("text", "step", "severity"),
    [
        ("<extra_id_0> <extra_id_37>", 900, "warning"),
        ("<extra_id_0> <extra_id_37>", 20, "note"),
        ("", 900, "warning"),
        ("", 20, None),
        ("và và và và và và và", 900, "warning"),
        ("ầnầnầnầnầnầnầnầnầnần", 900, "warning"),
        ("0.0000000000", 900, "warning"),
        ("Hà Nội... cool, 1000000", 900, None),
        ("Hà Nội công bố kết quả", 900, None),
    ],
)
def test_generated_text(text, step, severity):
    rows = [Record(1, loss=5.0), Record(step, texts=(GeneratedText(text, "Hà Nội công bố kết quả"),) * 3)]
    assert [f.severity for f in report_of(Records.of(rows)).findings] == ([severity] if severity else [])


def evaluated(name, values, losses=(5.0, 4.9)):
    """So many evaluations, 300 steps apart, with this figure."""
    slope = (losses[1] - losses[0]) / (300 * len(values))
    rows = [Record(s, loss=losses[0] + slope * s + 0.01 * (s % 3)) for s in range(10, 300 * len(values) + 1, 10)]
    rows += [Record(300 * n, evaluation={name: value}) for n, value in enumerate(values, 1)]
    return Records.of(sorted(rows, key=lambda row: row.step))


@pytest.mark.parametrize(
    ("name", "values", "losses", "stuck"),
    [
        ("accuracy", (0.625, 0.625, 0.625), (5.0, 4.5), True),
        ("accuracy", (0.625, 0.625, 0.625), (5.0, 0.5), False),  # learnt: a small set may be read the same way
        ("accuracy", (0.5, 0.75, 0.75, 0.75), (5.0, 4.5), False),
        ("accuracy", (1.0, 1.0, 1.0), (5.0, 4.5), False),
        ("num_samples", (80.0, 80.0, 80.0), (5.0, 4.5), False),
        ("wer", (100.0, 100.0, 100.0), (5.0, 0.5), True),
        ("wer", (0.0, 0.0, 0.0), (5.0, 0.5), False),
        ("rougeL", (0.0, 0.0, 0.0), (5.0, 0.5), True),
        ("loss", (3.25, 3.25, 3.25), (5.0, 4.5), True),
    ],
)
def test_a_figure_that_stands_still(name, values, losses, stuck):
    assert ("STP021" in {probe for probe, *_ in alarms(evaluated(name, values, losses))}) is stuck


def test_a_scaler_that_seeks_keeps_weights_and_rate_where_they_are():
    still = [
        Record(s, loss=5.0 + s / 100, grad_norm=math.inf, lr=0.0, weight_norm=30.0, scale=2.0 ** (16 - s))
        for s in range(8)
    ]
    moving = [
        Record(s, loss=5.0 - s / 100, grad_norm=1.0, lr=1e-5 * s, weight_norm=30.0 + s / 1e4, scale=512.0)
        for s in range(8, 30)
    ]
    assert not list(at_every_look(Records.of(still + moving, scaled=True)))


def test_gradients_that_add_up_show_in_a_log_of_every_tenth_step_too():
    records = FAULTS["run_without_zero_grad"].inject(healthy("classifier"))["records"]
    assert [f.severity for f in report_of(records).findings] == ["error"]
    steep = [Record(s, loss=4.0 + 0.01 * (s % 7), grad_norm=1.5 * s**0.9) for s in range(10, 201, 10)]
    rising = [Record(s, loss=4.0 + 0.01 * (s % 7), grad_norm=1.5 + 0.0002 * s**2) for s in range(10, 201, 10)]
    assert [f.severity for f in report_of(Records.of(steep)).findings] == ["warning"]
    assert not report_of(Records.of(rising)).findings


def test_a_log_is_bounded_and_keeps_what_was_evaluated():
    log = RecordLog()
    for step in range(1, 20 * MAX_ROWS):
        log.add(Record(step, loss=1.0, evaluation={"loss": 2.0} if step % MAX_ROWS == 0 else {}))
    rows = log.records().rows
    assert len(rows) <= MAX_ROWS + 20 and rows[0].step == 1 and rows[-1].step == 20 * MAX_ROWS - 1
    assert len(log.records().series("evaluation.loss").values) == 19
    assert [row.step for row in rows] == sorted({row.step for row in rows})


numbers = some.lists(some.floats(-1e6, 1e6), min_size=4, max_size=60)


@given(numbers)
def test_ranks_do_not_mind_the_scale(values):
    shifted = [value / 2 for value in values]
    assert p_value_of_rise(values) == p_value_of_rise(shifted) and -1 <= kendall_tau(values) <= 1
    assert p_value_of_fall(values) == p_value_of_rise([-value for value in values])
    assert min(p_value_of_rise(values), p_value_of_fall(values)) >= 0 and len(binned(values)) <= 24


@given(some.lists(some.floats(0.1, 10), min_size=30, max_size=60), some.integers(5, 25), some.floats(10, 1e6))
def test_one_spike_hardly_moves_the_noise(values, place, height):
    with_spike = [*values[:place], values[place] + height, *values[place + 1 :]]
    differences = sorted(abs(b - a) for a, b in pairwise(values))
    assert noise(with_spike) <= 1.4826 * (differences[int(0.7 * len(differences))] + 2 * height / len(values)) + 1e-9


@settings(max_examples=20)
@given(some.integers(0, 10_000))
def test_chance_orders_few_series_as_well_as_it_says(seed):
    draw = random.Random(seed)
    chances = [p_value_of_rise([draw.random() for _ in range(24)]) for _ in range(200)]
    assert sum(chance < 0.05 for chance in chances) <= 26 and sum(chance < 0.001 for chance in chances) <= 4
