"""loop_state.json: what the loop saves besides weights and optimizer."""

import json
from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError

LOOP_STATE = "loop_state.json"
FORMAT = 1


def loop_state_of(checkpoint: Path) -> dict[str, Any]:
    """The loop state of a checkpoint; refuses one of another version."""
    try:
        state = json.loads((checkpoint / LOOP_STATE).read_text(encoding="utf-8"))
    except FileNotFoundError:
        state = {}
    if state.get("format") != FORMAT:
        raise InputError(f"{checkpoint} was written by another version of this trainer; resume with that one")
    return state
