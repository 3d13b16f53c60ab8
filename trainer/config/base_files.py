"""Follows `_base_` from file to file."""

import os
from difflib import get_close_matches
from pathlib import Path

from diagnose.common.errors import InputError
from trainer.config.layers import Layer
from trainer.config.yaml_reader import read
from trainer.paths import shipped_config, shipped_names

BASE = "_base_"


def load_base_chain(path: Path, below: tuple[Path, ...] = ()) -> list[Layer]:
    """The file and everything it builds on, the deepest base first."""
    if path.resolve() in [each.resolve() for each in below]:
        circle = " -> ".join(str(each) for each in (*below, path))
        raise InputError(f"{below[-1]}: {BASE} is circular ({circle}); remove one of these {BASE} lines")
    layer = read(path)
    base = base_of(layer, path)
    return [*(_chain_of(base, (*below, path)) if base else []), layer]


def _chain_of(base: Path, below: tuple[Path, ...]) -> list[Layer]:
    """Of a base: an error in one names the file that builds on it, since a person may not know of the other."""
    try:
        return load_base_chain(base, below)
    except InputError as error:
        if str(below[-1]) in error.message:
            raise
        raise InputError(f"{error.message} ({below[-1]} names it as {BASE})") from error


def base_of(layer: Layer, path: Path) -> Path | None:
    """Remove `_base_` from the layer: a path relative to its file, else the name of a shipped configuration."""
    if BASE not in layer.tree:
        return None
    base, source = layer.tree.pop(BASE), layer.sources.pop(BASE)
    if not isinstance(base, str) or not base:
        raise InputError(f"{source}: {BASE} is {base!r}; expected the path of one YAML file, relative to this one")
    found = Path(os.path.normpath(path.parent / base))
    if os.path.exists(found):  # noqa: PTH110  (a name that is too long is no error here)
        return found
    name = base.removesuffix(".yaml")
    if name in shipped_names():
        return shipped_config(name)
    near = get_close_matches(name, shipped_names(), 1)
    hint = f"did you mean the shipped {near[0]}?" if near else f"shipped ones are {', '.join(shipped_names())}"
    raise InputError(f"{source}: {BASE} names {found}, which does not exist; the path is relative to {path}; {hint}")
