"""`train demo` as a person types it: what it reaches on sentences never trained on, and how long it takes."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.report import Measured
from trainer.demo.run import MODELS

SEEDS = (0, 1, 2)


def measure(model: str) -> Measured:
    """Each seed makes its own corpus and its own model. Beside the figures on seen voices, those on unseen ones."""
    figures: dict[str, Any] = {}
    for seed in SEEDS:
        for path, value in run(model, seed).items():
            *above, last = path.split("/")
            tree = figures
            for key in (*above, last):
                tree = tree.setdefault(key, {})
            tree[str(seed)] = value
    return Measured(figures, f"seeds {', '.join(map(str, SEEDS))} of data and model")


def run(model: str, seed: int) -> dict[str, float]:
    """One demo in a directory of its own."""
    train = Path(sys.executable).with_name("train")
    with tempfile.TemporaryDirectory() as folder:
        command = [train, "demo", "--model", model, "--seed", str(seed), "--directory", folder]
        before, start = _cpu(), time.monotonic()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "HOME": folder})
        spent = {"seconds": round(time.monotonic() - start, 1), "cpu_seconds": round(_cpu() - before, 1)}
        results = Path(folder) / "outputs" / "results"
        unseen = results / f"demo_{model}_unseen_voices_metrics.json"
        more = {f"unseen_voices/{name}": value for name, value in scores(unseen).items()} if unseen.exists() else {}
        return {**scores(results / f"demo_{model}_metrics.json"), **more, **spent}


def scores(path: Path) -> dict[str, float]:
    """The figures of one evaluation by name."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return {name: round(content[name], 2) for name in content["details"]}


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


MEASUREMENTS = {model: partial(measure, model) for model in MODELS}
