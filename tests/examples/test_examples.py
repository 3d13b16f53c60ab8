"""The examples do what their README says. Here one variant of each; make bench WHAT=examples runs them all."""

from __future__ import annotations

import ast
from pathlib import Path

import nbformat
import pytest

from tests.examples.cases import CASES, FOLDER, NOTEBOOK, SCRIPTS, names_root, run

HERE = (
    ("plain_loop.py", ""),
    ("hf_trainer.py", "--broken"),
    ("lightning_module.py", "--broken"),
    ("accelerate_loop.py", "--broken"),
    ("lora_whisper.py", "--broken"),
    ("classifier_pitfalls.py", "--broken wrong_reduction"),
    ("instruct_tts/train.py", "--broken fp16"),
    (NOTEBOOK, "frozen"),
)
MOST_LINES = 3


@pytest.mark.parametrize(("script", "switch"), HERE)
def test_an_example_ends_as_its_readme_says(script: str, switch: str) -> None:
    root = SCRIPTS[script][switch]
    code, text = run(script, switch)
    assert (code, names_root(text, root) if root else True) == (int(bool(root)), True), text[-3000:]


def source_of(script: str) -> str:
    if script != NOTEBOOK:
        return (FOLDER / script).read_text(encoding="utf-8")
    cells = nbformat.read(FOLDER / NOTEBOOK, as_version=4).cells
    return "\n".join(cell.source for cell in cells if cell.cell_type == "code")


def lines_of_ours(source: str) -> set[int]:
    """Lines of code that name diagnose, or a variable that holds what it returned."""
    tree = ast.parse(source)
    ours = {"diagnose"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and any(isinstance(n, ast.Name) and n.id in ours for n in ast.walk(node.value)):
            ours |= {target.id for target in node.targets if isinstance(target, ast.Name) and target.id == "report"}
    named = {node.lineno for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id in ours}
    return named | {
        node.lineno for node in ast.walk(tree) if isinstance(node, ast.Import) and node.names[0].name in ours
    }


@pytest.mark.parametrize("script", SCRIPTS)
def test_an_example_has_at_most_three_lines_of_ours(script: str) -> None:
    assert 0 < len(lines_of_ours(source_of(script))) <= MOST_LINES


def test_every_example_and_every_switch_is_a_case_and_in_the_readme() -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    found = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.py") if "diagnose" in path.read_text()}
    packages = {str(path.relative_to(FOLDER)) for path in FOLDER.rglob("house_rules.py")}
    assert found - packages | {NOTEBOOK} == set(SCRIPTS)
    assert [script for script in SCRIPTS if Path(script).parts[0] not in readme] == []
    for root in {root for script, _, root in CASES if root and Path(script).parent == Path() and script != NOTEBOOK}:
        assert root in readme or "one finding for each" in readme
