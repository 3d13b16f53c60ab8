"""Turns YAML nodes into plain values with the line of each key; the expansion of aliases is bounded."""

from typing import Any

import yaml

from diagnose.common.errors import InputError
from trainer.config.layers import ConfigProblem, Source, Tree

MAX_NODES = 20_000
MAX_DEPTH = 20
TAG = "tag:yaml.org,2002:"
UNREADABLE = (yaml.YAMLError, ValueError, LookupError, AttributeError, ArithmeticError)


def node_kind(node: yaml.Node) -> str:
    """scalar, sequence or mapping."""
    return type(node).__name__.removesuffix("Node").lower()


def join(prefix: str, key: str) -> str:
    return f"{prefix}.{key}" if prefix else key


class YamlWalker:
    """One pass over the nodes of one text."""

    def __init__(self, loader: yaml.SafeLoader, name: str, first_line: int | None = 1) -> None:
        self.loader, self.name, self.first_line = loader, name, first_line
        self.sources: dict[str, Source] = {}
        self.problems: list[ConfigProblem] = []
        self.visited = self.depth = 0

    def source(self, node: yaml.Node) -> Source:
        return Source(self.name, node.start_mark.line + self.first_line if self.first_line else None)

    def add_problem(self, node: yaml.Node, key: str, message: str) -> None:
        self.problems.append(ConfigProblem(self.source(node), key, message))

    def value(self, node: yaml.Node, key: str) -> Any:
        """The value of any node; aliases are expanded here, hence the bounds."""
        self.visited, self.depth = self.visited + 1, self.depth + 1
        if self.visited > MAX_NODES or self.depth > MAX_DEPTH:
            raise InputError(f"{self.name}: too many aliases or too much nesting near {key[:60]}; write the values out")
        found = self.expand(node, key)
        self.depth -= 1
        return found

    def expand(self, node: yaml.Node, key: str) -> Any:
        if isinstance(node, yaml.MappingNode) and node.tag == TAG + "map":
            return self.mapping(node, key)
        if isinstance(node, yaml.SequenceNode) and node.tag == TAG + "seq":
            return [self.value(item, join(key, str(index))) for index, item in enumerate(node.value)]
        return self.scalar(node, key)

    def scalar(self, node: yaml.Node, key: str) -> Any:
        try:
            if isinstance(node, yaml.ScalarNode):
                return self.loader.construct_object(node)
        except UNREADABLE:
            pass  # reported below, like every other tag that is not a plain value
        tag = node.tag.removeprefix(TAG)
        self.add_problem(node, key, f"has the YAML tag {tag[:60]!r} and cannot be read; write a plain value")
        return None

    def mapping(self, node: yaml.MappingNode, prefix: str) -> Tree:
        """The keys of a mapping; keys written out win over those of a merge key `<<`."""
        merged: Tree = {}
        for key_node, value_node in node.value:
            if key_node.tag == TAG + "merge":
                self.merge_key(value_node, prefix, merged)
        written: Tree = {}
        for key_node, value_node in node.value:
            if key_node.tag != TAG + "merge" and self.is_new_key(key_node, prefix, written):
                path = join(prefix, key_node.value)
                written[key_node.value] = self.value(value_node, path)
                self.sources[path] = self.source(key_node)
        return {**merged, **written}

    def merge_key(self, node: yaml.Node, prefix: str, into: Tree) -> None:
        """The first of several mappings wins, as YAML's merge key has it."""
        for each in reversed(node.value if isinstance(node, yaml.SequenceNode) else [node]):
            found = self.value(each, prefix)
            if isinstance(found, dict):
                into.update(found)
            else:
                self.add_problem(each, join(prefix, "<<"), "merges a value without keys; use a mapping")

    def is_new_key(self, node: yaml.Node, prefix: str, written: Tree) -> bool:
        if node.tag != TAG + "str":
            text = node.value if isinstance(node.value, str) else f"(a {node_kind(node)})"
            self.add_problem(
                node, join(prefix, text), "is not a string; write keys as strings, in quotes where YAML needs them"
            )
        elif node.value in written:
            path = join(prefix, node.value)
            self.add_problem(node, path, f"is duplicated, first in line {self.sources[path].line}; keep one")
        else:
            return True
        return False
