"""Healthy runs, looked at again and again while they grow: any error or warning of the steps stage is a false alarm."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median

from diagnose import Severity
from diagnose.engine import discovery
from diagnose.engine.engine import Engine
from diagnose.records import Record, Records
from diagnose.records.records import MAX_ROWS
from probes.healthy import NAMES, healthy
from probes.subjects.short_run import LoopVariant, short_run
from tests.bench.report import Measured
from tests.support.step_runs import demo_run

MODELS = ("whisper", "e2e", "hybrid", "mt5")
SEEDS, SUBJECT_SEEDS = range(3), range(10)
EVERY = (1, 10, 50)  # steps from one log line to the next
LOOK_EVERY = 5  # records


def prefixes(records: Records) -> Iterator[tuple[str, Records]]:
    """The run as a guard would have seen it, logged more and less often."""
    for every in EVERY:
        rows = list(thinned(records.rows, every))
        for end in {*range(LOOK_EVERY, len(rows), LOOK_EVERY), len(rows)}:
            yield f"every {every}, {end} records", replace(records, rows=tuple(rows[:end]), finished=end == len(rows))


def thinned(rows: tuple[Record, ...], every: int) -> Iterator[Record]:
    """One record for so many steps, with the mean of their losses, as a Trainer logs."""
    losses: list[float] = []
    for row in rows:
        if row.loss is None:
            yield row
            continue
        losses.append(row.loss)
        if len(losses) == every:
            yield replace(row, loss=sum(losses) / every)
            losses = []


def alarms(records: Records) -> tuple[int, set[str]]:
    """How often was looked, and what was found that should not be."""
    engine = Engine(tuple(probe for probe in discovery.probes().items if probe.id.startswith("STP")), ())
    looks, found = 0, set()
    for name, seen in prefixes(records):
        looks += 1
        report = engine.examine(engine.context({"records": seen}))
        found |= {f"{f.probe} at {name}" for f in report.findings if f.severity is not Severity.NOTE}
        found |= {f"{o.probe} {o.status}" for o in report.outcomes if o.status in ("blocked", "crashed")}
    return looks, found


def measure_demo(model: str) -> Measured:
    """The shipped demo configuration, 300 steps."""
    looks, found = 0, set()
    with tempfile.TemporaryDirectory() as folder:
        for seed in SEEDS:
            more, which = alarms(demo_run(model, seed, Path(folder)))
            looks, found = looks + more, found | {f"seed {seed} {one}" for one in which}
    figures = {"seeds": len(SEEDS), "steps": 300, "looks": looks, "alarms": len(found)}
    return Measured({**figures, "which": "; ".join(sorted(found)) or "none"}, f"{len(SEEDS)} seeds, 300 steps")


def measure_subject(name: str) -> Measured:
    """The tiny subjects, 60 steps, ten seeds."""
    looks, found = 0, set()
    for seed in SUBJECT_SEEDS:
        manner = LoopVariant(steps=60, evaluate_every=20)
        more, which = alarms(short_run(healthy(name, seed), manner, seed))
        looks, found = looks + more, found | {f"seed {seed} {one}" for one in which}
    figures = {"seeds": len(SUBJECT_SEEDS), "steps": 60, "looks": looks, "alarms": len(found)}
    return Measured({**figures, "which": "; ".join(sorted(found)) or "none"}, f"{len(SUBJECT_SEEDS)} seeds, 60 steps")


def measure_cost() -> Measured:
    """One look of the whole stage at as many records as a running log keeps."""
    rows = [
        Record(s, loss=5 / (1 + s / 100) + 0.1 * (s % 7), grad_norm=1 + s % 5, lr=s * 1e-6, weight_norm=30 + s / 1e3)
        for s in range(1, MAX_ROWS + 1)
    ]
    probes = [probe for probe in discovery.probes().items if probe.id.startswith("STP")]
    times = []
    for _ in range(50):
        began = time.process_time()
        records = Records.of(rows)
        for probe in probes:
            list(probe.check(records))
        times.append(time.process_time() - began)
    return Measured(
        {"records": MAX_ROWS, "probes": len(probes), "milliseconds": 1e3 * median(times)}, "50 looks, median"
    )


MEASUREMENTS = {
    **{f"healthy/{model}": partial(measure_demo, model) for model in MODELS},
    **{f"subjects/{name}": partial(measure_subject, name) for name in NAMES},
    "cost": measure_cost,
}
