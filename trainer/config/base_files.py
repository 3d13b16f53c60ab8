"""Follows `_base_` from file to file."""

import os
from pathlib import Path

from diagnose.common.errors import InputError
from trainer.config.layers import Layer
from trainer.config.yaml_reader import read

BASE = "_base_"


def load_base_chain(path: Path, below: tuple[Path, ...] = ()) -> list[Layer]:
    """The file and everything it builds on, the deepest base first."""
    if path.resolve() in [each.resolve() for each in below]:
        circle = " -> ".join(str(each) for each in (*below, path))
        raise InputError(f"{below[-1]}: {BASE} goes round in a circle ({circle}); remove one of these {BASE} lines")
    layer = read(path)
    base = base_of(layer, path)
    return [*(load_base_chain(base, (*below, path)) if base else []), layer]


def base_of(layer: Layer, path: Path) -> Path | None:
    """Remove `_base_` from the layer; its path is relative to the file it stands in."""
    if BASE not in layer.tree:
        return None
    base, source = layer.tree.pop(BASE), layer.sources.pop(BASE)
    if not isinstance(base, str) or not base:
        raise InputError(f"{source}: {BASE} is {base!r}; expected the path of one YAML file, relative to this one")
    found = Path(os.path.normpath(path.parent / base))
    if not found.exists():
        raise InputError(f"{source}: {BASE} names {found}, which does not exist; the path is relative to {path}")
    return found
