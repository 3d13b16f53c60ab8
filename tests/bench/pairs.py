"""Ten seeds of five tasks with right and with shuffled pairs, and of the demo's corpora: who is accused?"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import torch

import diagnose
from diagnose import Severity
from diagnose.engine.engine import installed
from tests.bench.report import Measured
from tests.support.pair_runs import TASKS, WEAK
from trainer.data.open_split import open_split
from trainer.demo.corpus import make_corpus
from trainer.demo.corpus_plan import CorpusSize
from trainer.demo.run import settings
from trainer.pipeline.steps import data_step

SEEDS = range(10)
SIZE = CorpusSize(videos=40, sentences_per_video=10, unseen_videos=1, documents_per_video=10)
TEXTS = ("transcript", "translation")


def measure(shift: int) -> Measured:
    """`diagnose overfit --pairs`, that is the teacher and a short training of the demo's hybrid from random weights."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for seed in SEEDS:
            rows.append(_asked(_corpus(Path(folder), seed), shift))
    accused = sum(row["accused"] for row in rows)
    figures: dict[str, Any] = {
        "seeds": len(rows),
        "accused": accused,
        "errors": accused if not shift else len(rows) - accused,
        "sigmas": [round(row["sigmas"], 1) for row in rows],
        "sigmas_where_they_fit_best": [round(row["moved"], 1) for row in rows],
        "rows": rows[0]["rows"],
        "teacher_seconds": round(max(row["seconds"] for row in rows), 1),
        "model_chances": [round(row["chance"], 4) for row in rows],
        "model_updates": [row["updates"] for row in rows],
        "model_seconds": round(max(row["model_seconds"] for row in rows), 1),
    }
    what = (
        f"transcripts and translations slipped by {shift} row" if shift else "transcripts and translations as they are"
    )
    return Measured(figures, f"{what}; the demo's hybrid, one corpus of {len(SEEDS)} for each seed")


def _corpus(root: Path, seed: int) -> Any:
    make_corpus(root / str(seed), seed, SIZE, workers=2)
    resolved = settings("hybrid", seed, root / str(seed))
    data_step(resolved.config)
    return resolved


def _asked(resolved: Any, shift: int) -> dict[str, Any]:
    dataset = open_split(resolved.config, "train")
    texts = [{name: row[name] for name in TEXTS} for row in dataset.rows]
    for number, row in enumerate(dataset.rows):
        row.update(texts[(number + shift) % len(texts)])
    facts = {"config": resolved, "configured_dataset": dataset, "pairs_requested": True}
    start = time.perf_counter()
    context = installed().context(facts)
    found, losses = context.get("pair_tests"), context.get("swapped_target_loss")
    report = diagnose.preflight(select=["LRN030"], pair_tests=found)
    worst = min((one for one in found.train if one.whole), key=lambda one: one.z_score)
    return {
        "accused": any(finding.severity is Severity.ERROR for finding in report.findings),
        "sigmas": worst.z_score,
        "moved": worst.shifted,
        "rows": found.rows,
        "seconds": found.seconds,
        "chance": losses.p_value,
        "updates": losses.updates,
        "model_seconds": losses.seconds,
        "all_seconds": time.perf_counter() - start,
    }


def measure_task(task: str, seeds: Any = SEEDS) -> Measured:
    """Errors and warnings of the probes for pairs, with inputs shuffled beside their targets and as they are."""
    told = {shuffled: [_told(task, seed, shuffled) for seed in seeds] for shuffled in (True, False)}
    figures = {
        "seeds": len(told[True]),
        "found": sum(bool(alarms) for alarms in told[True]),
        "false_alarms": sum(bool(alarms) for alarms in told[False]),
        "told": [" ".join(alarms) for alarms in told[True]],
        "told_of_healthy": [" ".join(alarms) for alarms in told[False]],
    }
    return Measured(figures, f"{len(told[True])} seeds with shuffled inputs and {len(told[False])} healthy ones")


def _told(task: str, seed: int, shuffled: bool) -> list[str]:
    # Tags and texts without their model: it is asked for a minute when in doubt, and what the probes say is the same.
    return _alarms(partial(TASKS[task], shuffled=shuffled), seed, keep_model=task not in ("tagger", "summaries"))


def _alarms(build: Callable[..., Any], seed: int, keep_model: bool = True) -> list[str]:
    torch.manual_seed(seed)
    facts = {name: value for name, value in build(seed).items() if keep_model or name != "model"}
    report = diagnose.preflight(select=["LRN03*", "DAT058"], **facts)
    return [f"{one.probe} {one.severity}" for one in report.findings if one.severity is not Severity.NOTE]


def measure_weak() -> Measured:
    """Healthy runs whose targets are weakly related to their inputs, and small ones."""
    told = {name: [_alarms(build, seed) for seed in SEEDS] for name, build in WEAK.items()}
    figures = {name: sum(bool(alarms) for alarms in seeds) for name, seeds in told.items()}
    return Measured({"false_alarms": figures}, f"{len(SEEDS)} seeds of each")


TASK_MEASUREMENTS = {task: partial(measure_task, task) for task in TASKS}
MEASUREMENTS = {**TASK_MEASUREMENTS, "weak": measure_weak, "right": partial(measure, 0), "slipped": partial(measure, 1)}
