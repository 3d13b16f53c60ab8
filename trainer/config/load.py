"""Loads a configuration: its file, its base files and --set; reports all errors at once."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from diagnose.common.errors import InputError
from diagnose.common.flat_keys import flatten_keys
from trainer.config.base_files import load_base_chain
from trainer.config.layers import DEFAULT, ConfigProblem, Source, merge
from trainer.config.legacy_keys import translate
from trainer.config.overrides import override
from trainer.config.schema import Config
from trainer.config.validate import validate
from trainer.config.yaml_writer import to_inline_yaml, to_yaml

MOST_ERRORS = 50  # in one message; more of them come from a damaged file


@dataclass(frozen=True)
class Resolved:
    """A configuration with every value, and the source of each."""

    config: Config
    sources: dict[str, Source]
    path: Path
    notices: tuple[str, ...] = ()

    def to_yaml(self) -> str:
        """All values; loading it again gives the same configuration."""
        return to_yaml(as_plain_dict(self.config))

    def annotated(self) -> str:
        """All values as YAML, each with its source."""
        return "\n".join(annotate(as_plain_dict(self.config), self.sources))


def as_plain_dict(config: Config) -> dict[str, Any]:
    return config.model_dump(mode="json")


def load(path: str | Path, overrides: Sequence[str] = ()) -> Resolved:
    """Reads, merges and checks; raises one InputError that lists everything that is wrong."""
    path = Path(path)
    layers = [*load_base_chain(path), *map(override, overrides)]
    layer = reduce(merge, map(translate, layers))
    config, problems = validate(layer)
    raise_all(path, [*layer.problems, *problems])
    config = with_default_output(path, config, layer.sources)
    sources = {key: layer.sources.get(key, DEFAULT) for key in flatten_keys(as_plain_dict(config))}
    return Resolved(config, sources, path, layer.notices)


def with_default_output(path: Path, config: Config, sources: dict[str, Source]) -> Config:
    """The name and directory of a run default to the name of its file."""
    name = re.sub(r"[^\w.+-]", "_", path.stem)
    defaults = {"dir": config.paths.output_dir / name, "experiment_name": name}
    missing = {key: value for key, value in defaults.items() if f"output.{key}" not in sources}
    return config.model_copy(update={"output": config.output.model_copy(update=missing)})


def raise_all(path: Path, problems: list[ConfigProblem]) -> None:
    sentences = list(dict.fromkeys(str(problem) for problem in problems))
    if len(sentences) == 1:
        raise InputError(sentences[0])
    if len(sentences) > MOST_ERRORS:
        more = f"and {len(sentences) - MOST_ERRORS} more"
        sentences, count = [*sentences[:MOST_ERRORS], more], len(sentences)
        raise InputError("\n  ".join([f"{path} has {count} errors:", *sentences]))
    if sentences:
        raise InputError("\n  ".join([f"{path} has {len(sentences)} errors:", *sentences]))


def annotate(tree: dict[str, Any], sources: dict[str, Source], prefix: str = "", indent: str = "") -> Iterator[str]:
    """One line for each value, with its source as a comment."""
    for key, value in tree.items():
        if isinstance(value, dict):
            yield f"{indent}{key}:"
            yield from annotate(value, sources, f"{prefix}{key}.", indent + "  ")
        else:
            yield f"{indent}{key}: {to_inline_yaml(value)}".ljust(56) + f"  # {sources[prefix + key]}"
