"""Keys of our configuration stand in `setting` of a finding alone: people with a trainer of their own have none."""

import ast
from collections.abc import Iterator
from pathlib import Path

from diagnose.common.flat_keys import flatten_keys
from trainer.config import Config
from trainer.config.load import as_plain_dict

ROOT = Path(__file__).resolve().parents[2] / "probes"
SKIPPED = ("facts", "faults", "subjects", "guards")
KEYS = {key for key in flatten_keys(as_plain_dict(Config())) if not key.startswith("model.")}  # model.name is code, too


def sources() -> list[Path]:
    return [path for path in ROOT.rglob("*.py") if path.relative_to(ROOT).parts[0] not in SKIPPED]


def settings_of(tree: ast.AST) -> Iterator[ast.expr]:
    """The values of `setting=` and what functions named `setting…` return."""
    for node in ast.walk(tree):
        if isinstance(node, ast.keyword) and node.arg == "setting":
            yield node.value
        elif isinstance(node, ast.FunctionDef) and node.name.startswith("setting_for"):
            yield from (item.value for item in ast.walk(node) if isinstance(item, ast.Return) and item.value)


def texts(tree: ast.AST) -> Iterator[ast.Constant]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))


def test_no_message_or_fix_of_a_probe_names_a_key_of_our_configuration() -> None:
    assert len(sources()) > 250
    for path in sources():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        allowed = {id(text) for value in settings_of(tree) for text in texts(value)}
        named = [t.value for t in texts(tree) if id(t) not in allowed and any(key in t.value for key in KEYS)]
        assert not named, f"{path}: {named}; give the key as setting= of the finding"


def test_every_setting_is_a_key_of_the_configuration() -> None:
    found = [
        text.value.partition(":")[0]
        for path in sources()
        for value in settings_of(ast.parse(path.read_text(encoding="utf-8")))
        for text in texts(value)
        if ":" in text.value
    ]
    assert len(found) >= 5 and not set(found) - KEYS
