"""The command that goes on with a run that was stopped."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from diagnose.common.flat_keys import flatten_keys
from trainer.config.layers import SET
from trainer.config.load import as_plain_dict
from trainer.config.yaml_writer import to_inline_yaml

if TYPE_CHECKING:
    from trainer.config import Resolved


def resume_command(resolved: Resolved, epochs: float | None = None, subset: int | None = None) -> str:
    """The command with all options of this one: another value would be another run."""
    flat = flatten_keys(as_plain_dict(resolved.config))
    values = [(key, value) for key, value in flat.items() if resolved.sources.get(key) == SET]
    options = [("--config", resolved.path), *(("--set", f"{key}={to_inline_yaml(value)}") for key, value in values)]
    options += [(name, value) for name, value in (("--epochs", epochs), ("--subset", subset)) if value]
    return shlex.join(["train", *(str(word) for pair in options for word in pair), "--resume", "auto"])
