"""Reads `--set a.b=value`; the value is YAML."""

import yaml

from diagnose.common.errors import InputError
from trainer.config.base_files import BASE
from trainer.config.layers import SET, ConfigProblem, Layer, Tree
from trainer.config.yaml_nodes import YamlWalker
from trainer.config.yaml_reader import parse


def override(text: str) -> Layer:
    """One --set as a layer."""
    key, equals, value = text.partition("=")
    words = key.strip().split(".")
    if not equals or not all(words):
        message = "is not of the form section.key=value, such as training.batch_size=2"
        return Layer({}, problems=(ConfigProblem(SET, repr(text), message),))
    if words[0] == BASE:
        return Layer(
            {}, problems=(ConfigProblem(SET, BASE, "can only be set in a file; pass that file with --config"),)
        )
    try:
        return nest_under(words, *parse(value, key))
    except InputError:
        return Layer({}, problems=(ConfigProblem(SET, key, f"is {value!r}, which is not valid YAML; quote it"),))


def nest_under(words: list[str], loader: yaml.SafeLoader, node: yaml.Node | None) -> Layer:
    """The value, wrapped into the sections its key names."""
    path = ".".join(words)
    walk = YamlWalker(loader, SET.name, first_line=None)
    value = walk.value(node, path) if node else None
    tree: Tree = {words[-1]: value}
    for word in reversed(words[:-1]):
        tree = {word: tree}
    return Layer(tree, {path: SET, **walk.sources}, tuple(walk.problems))
