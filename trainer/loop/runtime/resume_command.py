"""The command that goes on with a run that was stopped."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from diagnose.common.flat_keys import flatten_keys
from trainer.config.layers import SET
from trainer.config.load import as_plain_dict
from trainer.config.yaml_writer import to_inline_yaml
from trainer.data.subset import Subset, subset_text

if TYPE_CHECKING:
    from trainer.config import Resolved


def resume_command(resolved: Resolved, epochs: float | None = None, subset: Subset = None) -> str:
    """The command with all options of this one: another value would be another run."""
    flat = flatten_keys(as_plain_dict(resolved.config))
    values = [(key, value) for key, value in flat.items() if resolved.sources.get(key) == SET]
    options = [("--config", resolved.path), *(("--set", f"{key}={to_inline_yaml(value)}") for key, value in values)]
    options += [("--epochs", epochs)] * (epochs is not None)
    options += [("--subset", subset_text(subset))] * (subset is not None)
    return shlex.join(["train", *(str(word) for pair in options for word in pair), "--resume", "auto"])
