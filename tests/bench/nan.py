"""nan-bisect: injected causes and traps over the four architectures."""

from __future__ import annotations

from probes.instruments.replay import find_origin, is_sound
from tests.bench.report import Measured
from tests.nan_causes import CAUSES, TRAPS, case

ARCHITECTURES = ("whisper", "e2e", "hybrid", "mt5")
SEEDS = (0, 1, 2)


def causes() -> Measured:
    """Named exactly: phase, operation, cause, and the module where there is one."""
    tried, missed = 0, []
    for architecture in ARCHITECTURES:
        for name, cause in CAUSES.items():
            if cause.only and architecture not in cause.only:
                continue
            for seed in SEEDS:
                tried += 1
                broken = case(architecture, seed)
                cause.put(broken)
                found = find_origin(broken.subject(), broken.batch)
                right = found is not None and (found.phase, found.cause) == (cause.phase, cause.cause)
                right = right and found.operation in cause.operations
                if not right or (cause.module and broken.name not in found.module):
                    missed.append(f"{architecture} {name} {seed}")
    kinds = {"kinds": len(CAUSES), "tried": tried, "named": tried - len(missed), "missed": "; ".join(missed) or "none"}
    return Measured(kinds, f"{len(SEEDS)} seeds")


def traps() -> Measured:
    """Left alone: the step is sound, and a real fault beside the trap is still named."""
    tried, fallen = 0, []
    for architecture in ARCHITECTURES:
        for name, change in TRAPS.items():
            for seed in SEEDS:
                tried += 1
                trapped = case(architecture, seed)
                trapped.after(change)
                sound = is_sound(trapped.subject(), trapped.batch)
                trapped.loss(lambda loss: loss - (loss * 0).log())
                found = find_origin(trapped.subject(), trapped.batch)
                if not sound or found is None or (found.phase, found.operation) != ("loss", "log"):
                    fallen.append(f"{architecture} {name} {seed}")
    figures = {"kinds": len(TRAPS), "tried": tried, "left_alone": tried - len(fallen)}
    return Measured({**figures, "fallen_for": "; ".join(fallen) or "none"}, f"{len(SEEDS)} seeds")


MEASUREMENTS = {"causes": causes, "traps": traps}
