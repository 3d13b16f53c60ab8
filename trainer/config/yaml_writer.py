"""Writes YAML that reads back as what was written."""

import math
from typing import Any

import yaml

from trainer.config.yaml_reader import FLOAT

BREAKS = frozenset("\x85\u2028\u2029")  # line breaks to YAML 1.1, which PyYAML writes bare inside single quotes


class Dumper(yaml.SafeDumper):
    """SafeDumper that escapes every line break, and quotes text that reading would take for a number."""


def _text(dumper: Dumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"' if BREAKS & set(text) else None)


Dumper.add_representer(str, _text)
Dumper.add_implicit_resolver("tag:yaml.org,2002:float", FLOAT, list("-+0123456789"))


def to_yaml(tree: dict[str, Any]) -> str:
    """A whole configuration, one key a line."""
    return yaml.dump(tree, Dumper=Dumper, sort_keys=False, allow_unicode=True)


def to_inline_yaml(value: Any) -> str:
    """One value on one line."""
    text = yaml.dump(value, Dumper=Dumper, default_flow_style=True, allow_unicode=True, width=math.inf)
    return text.removesuffix("...\n").strip(" \n")
