"""loop_state.json: what the loop saves besides weights and optimizer."""

import json
from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError, short_error

LOOP_STATE = "loop_state.json"
FORMAT = 1
NUMBERS = ("loss_since_log", "loss_in_all", "last_logged")
REMEDY = "resume from another checkpoint with --resume"


def loop_state_of(checkpoint: Path) -> dict[str, Any]:
    """The loop state of a checkpoint; refuses one of another version."""
    try:
        state = json.loads((checkpoint / LOOP_STATE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        state = {}
    except (OSError, ValueError) as error:
        raise InputError(f"{checkpoint / LOOP_STATE}: it cannot be read ({short_error(error)}); {REMEDY}") from error
    if not isinstance(state, dict) or (state.get("format") == FORMAT and not _is_complete(state)):
        raise InputError(f"{checkpoint / LOOP_STATE}: it does not hold the state of a loop; {REMEDY}")
    if state.get("format") != FORMAT:
        raise InputError(f"{checkpoint} was written by another version of this trainer; resume with that one")
    return state


def _is_complete(state: dict[str, Any]) -> bool:
    counts = state.get("circumstances")
    known = isinstance(counts, dict) and all(isinstance(counts.get(name), int) for name in ("rows", "processes"))
    return known and all(isinstance(state.get(name), int | float) for name in NUMBERS) and "book" in state
