"""Reads the training arguments out of a YAML or JSON file of somebody else's trainer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from probes.facts.settings.hf_arguments import RENAMED, ArgumentsFromFile, known

LARGEST = 200_000  # bytes; a configuration that people write is far smaller
ALIASES = 20  # each may double what comes of the file, and a file made to harm uses dozens
LEAST = 2  # names that must be transformers' before a section is taken for its arguments


class Unreadable(Exception):
    """Why the file is no configuration."""


def read_arguments(path: Path) -> ArgumentsFromFile | None:
    """The section with most names that transformers knows, with the line of each."""
    try:
        text = path.read_text(encoding="utf-8") if path.stat().st_size <= LARGEST else None
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"it cannot be read ({error})") from error
    if text is None:
        raise Unreadable(f"it is larger than {LARGEST:,} bytes")
    try:
        if sum(isinstance(token, yaml.AliasToken) for token in yaml.scan(text)) > ALIASES:
            raise Unreadable(f"it has more than {ALIASES} aliases")
        sections = list(_sections(yaml.compose(text, yaml.SafeLoader)))
    except (yaml.YAMLError, RecursionError) as error:
        raise Unreadable(f"it is not YAML ({str(error).splitlines()[0]})") from error
    best = max(sections, key=lambda node: len(_known_names(node)), default=None)
    if best is None or len(_known_names(best)) < LEAST:
        return None
    return _arguments(best, path)


def _sections(node: Any, depth: int = 0) -> Iterator[yaml.MappingNode]:
    if not isinstance(node, yaml.MappingNode) or depth > 4:
        return
    yield node
    for _, value in node.value:
        yield from _sections(value, depth + 1)


def _known_names(node: yaml.MappingNode) -> list[str]:
    return [key.value for key, _ in node.value if key.value in known() or key.value in RENAMED]


def _arguments(node: yaml.MappingNode, path: Path) -> ArgumentsFromFile:
    loader = yaml.SafeLoader("")
    try:
        values = loader.construct_mapping(node, deep=True)
    except (yaml.YAMLError, TypeError) as error:
        raise Unreadable(f"its section cannot be read ({str(error).splitlines()[0]})") from error
    arguments = ArgumentsFromFile({str(name): value for name, value in values.items()})
    arguments.file = str(path)
    arguments.lines = {key.value: key.start_mark.line + 1 for key, _ in node.value}
    return arguments
