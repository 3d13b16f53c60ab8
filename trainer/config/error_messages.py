"""Error messages for what pydantic finds wrong with a key."""

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

from pydantic import BaseModel

from trainer.config.layers import Tree
from trainer.config.schema import Config
from trainer.config.yaml_writer import to_inline_yaml

EXPECTED = {
    "int": "an integer",
    "float": "a number",
    "bool": "true or false",
    "string": "text",
    "path": "a path",
    "tuple": "a list",
    "model": "a section with keys",
    "dict": "a section with keys",
    "finite": "a finite number",
    "value": "a number",
}
# What people call a key, in other tools or for short.
ALIASES = {
    "lr": "learning_rate",
    "rate": "learning_rate",
    "epochs": "num_train_epochs",
    "num_epochs": "num_train_epochs",
    "max_epochs": "num_train_epochs",
    "bs": "batch_size",
    "batch": "batch_size",
    "per_device_train_batch_size": "batch_size",
    "grad_accum": "gradient_accumulation_steps",
    "accumulation": "gradient_accumulation_steps",
    "accumulate_grad_batches": "gradient_accumulation_steps",
    "steps": "max_steps",
    "warmup": "warmup_steps",
    "scheduler": "lr_scheduler_type",
    "patience": "early_stopping_patience",
    "workers": "num_workers",
    "grad_clip": "max_grad_norm",
    "clip": "max_grad_norm",
    "gradient_clip_val": "max_grad_norm",
}
BOUNDS = {
    "greater_than_equal": ("at least", "ge"),
    "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"),
    "less_than": ("less than", "lt"),
}


def expected(error: dict[str, Any]) -> str:
    """The expected value, in words."""
    kind, context = error["type"], error.get("ctx", {})
    if kind in BOUNDS:
        word, name = BOUNDS[kind]
        return f"{word} {context[name]:,.15g}"
    if kind == "literal_error":
        return context["expected"].replace("'", "")
    if kind == "string_too_short":
        return "a non-empty string"
    if kind == "string_pattern_mismatch":
        return "letters, digits and . _ + - only"
    return EXPECTED.get(kind.partition("_")[0], error["msg"])


def inline_value(value: Any) -> str:
    """A value as inline YAML, truncated to 60 characters."""
    text = to_inline_yaml(value)
    return text if len(text) <= 60 else text[:57] + "..."


def fields(model: type[BaseModel] = Config, prefix: str = "") -> Iterator[str]:
    """Every dotted name the schema knows."""
    for name, field in model.model_fields.items():
        yield prefix + name
        for kind in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(kind, type) and issubclass(kind, BaseModel):
                yield from fields(kind, f"{prefix}{name}.")


def unknown(key: str) -> str:
    """Names the nearest key: the same word elsewhere, or a similar word, in the same section first."""
    known = list(fields())
    if key in known:
        return "is a key with a dot; write the section and the key on two lines"
    section, _, word = key.rpartition(".")
    meant = {word, ALIASES.get(word, word)}
    elsewhere = [name for name in known if name.rpartition(".")[2] in meant]
    siblings = [name for name in known if name.rpartition(".")[0] == section]
    near = elsewhere or get_close_matches(key, siblings, 1, 0.75) or get_close_matches(key, known, 1, 0.75)
    if near:
        return f"is not a known key; did you mean {near[0]}?"
    words = ", ".join(name.rpartition(".")[2] for name in siblings)
    return f"is not a known key; {section or 'the file'} has {words}"


def find(tree: Tree, keys: tuple[Any, ...]) -> tuple[tuple[str, ...], Any]:
    """Follows keys as far as they exist in the tree: what comes after them is pydantic's own naming."""
    path: tuple[str, ...] = ()
    value: Any = tree
    for key in keys:
        if not (isinstance(value, dict) and key in value):
            break
        path, value = (*path, key), value[key]
    return path, value
