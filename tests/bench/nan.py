"""nan-bisect: injected causes and traps over the four architectures, and what it costs."""

from __future__ import annotations

from functools import partial
from itertools import product

from probes.facts.nonfinite.traced_step import find_origin, step_is_finite
from tests.bench.nan_cost import CHANGES, armed, finite_tests, replay
from tests.bench.report import Measured
from tests.support.large_models import SIZED
from tests.support.nan_models import CAUSES, TRAPS, case, is_named

ARCHITECTURES = ("whisper", "e2e", "hybrid", "mt5")
SEEDS = (0, 1, 2)


def causes() -> Measured:
    """Named exactly: phase, operation, cause, and the module where there is one."""
    tried, missed = 0, []
    for architecture, (name, cause), seed in product(ARCHITECTURES, CAUSES.items(), SEEDS):
        if not cause.only or architecture in cause.only:
            tried += 1
            broken = case(architecture, seed)
            cause.put(broken)
            if not is_named(cause, broken.name, find_origin(broken.subject(), broken.batch)):
                missed.append(f"{architecture} {name} {seed}")
    kinds = {"kinds": len(CAUSES), "tried": tried, "named": tried - len(missed), "missed": "; ".join(missed) or "none"}
    return Measured(kinds, f"{len(SEEDS)} seeds")


def traps() -> Measured:
    """Left alone: the step is sound, and a real fault beside the trap is still named."""
    tried, fallen = 0, []
    for architecture, (name, change), seed in product(ARCHITECTURES, TRAPS.items(), SEEDS):
        tried += 1
        trapped = case(architecture, seed)
        trapped.after(change)
        sound = step_is_finite(trapped.subject(), trapped.batch)
        trapped.loss(lambda loss: loss - (loss * 0).log())
        found = find_origin(trapped.subject(), trapped.batch)
        if not sound or found is None or (found.phase, found.operation) != ("loss", "log"):
            fallen.append(f"{architecture} {name} {seed}")
    figures = {"kinds": len(TRAPS), "tried": tried, "left_alone": tried - len(fallen)}
    return Measured({**figures, "fallen_for": "; ".join(fallen) or "none"}, f"{len(SEEDS)} seeds")


MEASUREMENTS = {
    **{f"armed/{name}": partial(armed, name) for name in SIZED},
    "finite_test": finite_tests,
    **{f"replay/{kind}/{name}": partial(replay, name, kind) for kind in CHANGES for name in SIZED},
    "causes": causes,
    "traps": traps,
}
