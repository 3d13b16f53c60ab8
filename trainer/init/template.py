"""A configuration as commented YAML."""

from collections.abc import Iterator, Mapping
from typing import Any

from trainer.config.yaml_writer import to_inline_yaml

COMMENTS = {
    "paths": "data_root and output_dir are relative to the folder you start from, the others to data_root.",
    "evaluation": "What `train evaluate` compares with; null: no target.",
}
HEAD = """\
# Written by `train init`. To see every key, also those with their defaults: train --config {path} --print-config
# To check data, model and settings before training:  diagnose preflight --config {path}
"""
COLUMN = 44  # where comments begin


def to_commented_yaml(path: str, settings: Mapping[str, tuple[Any, str]]) -> str:
    """One key on each line; the comment says where the value comes from."""
    tree: dict[str, Any] = {}
    for key, setting in settings.items():
        *sections, name = key.split(".")
        keys = tree
        for section in sections:
            keys = keys.setdefault(section, {})
        keys[name] = setting
    return HEAD.format(path=path) + "\n".join(_lines(tree, "")) + "\n"


def _lines(tree: Mapping[str, Any], indent: str) -> Iterator[str]:
    for key, value in tree.items():
        if isinstance(value, dict):
            if not indent:
                yield ""
                yield from [f"# {COMMENTS[key]}"] if key in COMMENTS else []
            yield f"{indent}{key}:"
            yield from _lines(value, indent + "  ")
        else:
            yield _line(f"{indent}{key}: {to_inline_yaml(value[0])}", value[1])


def _line(text: str, comment: str) -> str:
    return f"{text.ljust(COLUMN)}  # {comment}" if comment else text
