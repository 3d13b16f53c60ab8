"""Every example with each switch, and stock scripts under `diagnose run`: exit code, root cause, losses."""

from __future__ import annotations

import resource
from collections.abc import Callable
from functools import partial

from tests.bench.report import Measured
from tests.examples.cases import CASES, ROOT, names_root, run, run_python

STOCK = ("trainer", "sft", "lightning", "accelerate", "plain")


def cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def examples() -> Measured:
    """Healthy ones end with 0, each switch with 1 and its root cause."""
    right, slowest, wrong = 0, 0.0, []
    for script, switch, root in CASES:
        before = cpu_seconds()
        code, text = run(script, switch)
        slowest = max(slowest, cpu_seconds() - before)
        good = code == int(bool(root)) and (not root or names_root(text, root))
        right += good
        wrong += [] if good else [f"{script} {switch}"]
    figures = {"variants": len(CASES), "as expected": right, "slowest_cpu_seconds": slowest, "wrong": ", ".join(wrong)}
    return Measured(figures, "each in a process of its own; CPU seconds of the slowest")


def stock(name: str) -> Measured:
    """The losses that a script prints, alone and under `diagnose run`."""
    path = str(ROOT / "tests" / "examples" / "stock" / f"{name}_script.py")
    alone, looked = run_python([path]), run_python(["-m", "diagnose", "run", path])
    losses = [[line for line in text.splitlines() if "0x1." in line] for _, text in (alone, looked)]
    verdict = next((line for line in looked[1].splitlines() if "READY TO TRAIN" in line or "DO NOT" in line), "none")
    return Measured({"losses": len(losses[0]), "identical": losses[0] == losses[1], "verdict": verdict}, "bit for bit")


MEASUREMENTS: dict[str, Callable[[], Measured]] = {
    "all": examples,
    **{f"run_{name}": partial(stock, name) for name in STOCK},
}
