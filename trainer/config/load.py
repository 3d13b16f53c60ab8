"""Loads a configuration: its file, what it inherits, what --set says on top; all errors at once."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError
from trainer.config.base_files import chain
from trainer.config.layers import DEFAULT, Problem, Source, leaves, merge
from trainer.config.legacy_keys import translate
from trainer.config.overrides import override
from trainer.config.schema import Config
from trainer.config.validate import validate
from trainer.config.yaml_writer import block, flow


@dataclass(frozen=True)
class Resolved:
    """A configuration with every value decided, and where each one was said."""

    config: Config
    sources: dict[str, Source]
    path: Path
    notices: tuple[str, ...] = ()

    def to_yaml(self) -> str:
        """All values; loading it again gives the same configuration."""
        return block(plain(self.config))

    def annotated(self) -> str:
        """All values as YAML, each with the place it comes from."""
        return "\n".join(annotate(plain(self.config), self.sources))


def plain(config: Config) -> dict[str, Any]:
    return config.model_dump(mode="json")


def load(path: str | Path, overrides: Sequence[str] = ()) -> Resolved:
    """Reads, merges and checks; raises one InputError that lists everything that is wrong."""
    path = Path(path)
    layers = [*chain(path), *map(override, overrides)]
    layer = reduce(merge, map(translate, layers))
    config, problems = validate(layer)
    refuse(path, [*layer.problems, *problems])
    config = named_after(path, config, layer.sources)
    sources = {key: layer.sources.get(key, DEFAULT) for key, _ in leaves(plain(config))}
    return Resolved(config, sources, path, layer.notices)


def named_after(path: Path, config: Config, said: dict[str, Source]) -> Config:
    """A run that has no name, or no directory, is called after its file."""
    name = re.sub(r"[^\w.+-]", "_", path.stem)
    follows = {"dir": config.paths.output_dir / name, "experiment_name": name}
    missing = {key: value for key, value in follows.items() if f"output.{key}" not in said}
    return config.model_copy(update={"output": config.output.model_copy(update=missing)})


def refuse(path: Path, problems: list[Problem]) -> None:
    sentences = list(dict.fromkeys(str(problem) for problem in problems))
    if len(sentences) == 1:
        raise InputError(sentences[0])
    if sentences:
        raise InputError("\n  ".join([f"{path} has {len(sentences)} errors:", *sentences]))


def annotate(tree: dict[str, Any], sources: dict[str, Source], prefix: str = "", indent: str = "") -> Iterator[str]:
    """One line for each value, its place as a comment."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield f"{indent}{key}:"
            yield from annotate(value, sources, f"{prefix}{key}.", indent + "  ")
        else:
            yield f"{indent}{key}: {flow(value)}".ljust(56) + f"  # {sources[prefix + key]}"
