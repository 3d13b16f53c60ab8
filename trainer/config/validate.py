"""From one merged tree to a Config, with every problem found on the way."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from pydantic import ValidationError

from trainer.config.cross_checks import find_conflicts
from trainer.config.error_messages import expected, find, inline_value, unknown
from trainer.config.layers import DEFAULT, ConfigProblem, Layer, Source, Tree
from trainer.config.schema import Config


def validate(layer: Layer) -> tuple[Config, list[ConfigProblem]]:
    """The configuration and all problems: keys that are wrong do not stop the check of the others."""
    try:
        config, problems = Config.model_validate(layer.tree), []
    except ValidationError as error:
        problems = list(pydantic_problems(error.errors(include_url=False), layer))
        config = Config.model_validate(drop_keys(layer.tree, [problem.key for problem in problems]))
    wrong = tuple(problem.key for problem in problems)
    for found in find_conflicts(config):
        if not any(key.startswith(wrong) for key in found.keys):
            source = next((layer.sources[key] for key in found.keys if key in layer.sources), DEFAULT)
            problems.append(ConfigProblem(source, found.keys[0], found.message))
    return config, problems


def pydantic_problems(errors: list[Any], layer: Layer) -> Iterator[ConfigProblem]:
    """One problem for each key; pydantic has one error for each type of a union."""
    expectations: dict[str, tuple[Any, list[str]]] = {}
    for error in errors:
        path, value = find(layer.tree, error["loc"])
        key = ".".join(path)
        if error["type"] == "extra_forbidden":
            yield ConfigProblem(source_of(key, layer), key, unknown(key))
        else:
            expectations.setdefault(key, (value, []))[1].append(expected(error))
    for key, (value, kinds) in expectations.items():
        message = f"is {inline_value(value)}; expected {' or '.join(dict.fromkeys(kinds))}"
        if isinstance(value, bool) and "text" in kinds:
            message += " (YAML reads a bare yes, no, on or off as true or false: quote it)"
        yield ConfigProblem(source_of(key, layer), key, message)


def source_of(key: str, layer: Layer) -> Source:
    """The source of the key, of a key inside it, or of the nearest section around it."""
    within = (source for name, source in layer.sources.items() if name.startswith(f"{key}."))
    if key in layer.sources or "." not in key:
        return layer.sources.get(key) or next(within, DEFAULT)
    return next(within, None) or source_of(key.rpartition(".")[0], layer)


def drop_keys(tree: Tree, keys: list[str]) -> Tree:
    """A copy of the tree that lacks the wrong keys."""
    pruned = deepcopy(tree)
    for key in keys:
        *sections, word = split_key(pruned, key)
        keys_there = pruned
        for section in sections:
            keys_there = keys_there[section]
        keys_there.pop(word, None)
    return pruned


def split_key(tree: Tree, key: str) -> list[str]:
    """The words of a dotted key; a key that itself has dots stays whole."""
    for word, value in tree.items():
        if key == word:
            return [word]
        if key.startswith(f"{word}.") and isinstance(value, dict):
            return [word, *split_key(value, key[len(word) + 1 :])]
    return [key]
