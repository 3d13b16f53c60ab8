"""The arrows of the house: who may import whom, read from the source; and what stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

HOUSE = Path(__file__).parents[2]
PACKAGES = ("trainer", "diagnose", "probes", "playbooks")
HEAVY = {"torch", "torchaudio", "transformers", "accelerate", "numpy"}
FORBIDDEN = {
    "trainer": {"diagnose", "probes", "playbooks"},
    "diagnose": {"trainer", "probes", "playbooks"} | HEAVY,
    "probes": {"trainer", "playbooks"},
    "playbooks": {"trainer", "diagnose", "probes"} | HEAVY,
}
JOINS = {"trainer/cli.py": {"diagnose"}, "diagnose/cli.py": {"trainer"}}


def modules(*packages):
    return [path for package in packages for path in sorted((HOUSE / package).rglob("*.py"))]


def name(path):
    return path.relative_to(HOUSE).as_posix()


def imported(nodes):
    """The top packages that these statements import; the shared leaf `diagnose.common` is none of them."""
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        if isinstance(node, ast.ImportFrom) and not str(node.module).startswith("diagnose.common."):
            assert node.level == 0, "relative imports hide an arrow"
            yield str(node.module).partition(".")[0]


def at_import(tree):
    """Statements that run when the module is imported: not what stands in functions or under TYPE_CHECKING."""
    todo = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            continue
        yield node
        todo += ast.iter_child_nodes(node)


def is_light(path):
    """What is imported to list what there is: not what measures, trains or builds a subject."""
    if "facts" in path.parts:
        return path.stem in ("__init__", "facts", "types") or path.stem.endswith(("_facts", "_types"))
    return not {"guards", "integrations", "subjects"} & set(path.parts)


@pytest.mark.parametrize("path", modules(*PACKAGES), ids=name)
def test_the_arrows_hold(path):
    package = name(path).partition("/")[0]
    wrong = set(imported(ast.walk(ast.parse(path.read_text())))) & FORBIDDEN[package]
    assert not wrong - JOINS.get(name(path), set()), f"{name(path)} must not import {', '.join(sorted(wrong))}"


@pytest.mark.parametrize("path", [p for p in modules("probes") if is_light(p)], ids=name)
def test_probes_providers_and_faults_import_nothing_heavy_at_their_top(path):
    heavy = set(imported(at_import(ast.parse(path.read_text())))) & HEAVY
    assert not heavy, f"{name(path)} imports {', '.join(sorted(heavy))} at its top: move it into the function"


def test_a_wrong_arrow_would_be_seen():
    source = "def f():\n    from trainer.config import load\nimport torch.nn as nn\n"
    tree = ast.parse(source)
    assert set(imported(ast.walk(tree))) == {"trainer", "torch"} and set(imported(at_import(tree))) == {"torch"}


@pytest.mark.parametrize("group", ["probes", "providers", "faults"])
def test_discovery_imports_nothing_heavy(group):
    code = f"from diagnose.engine import discovery; discovery.{group}()"
    code += f"; import sys; print(sorted({HEAVY} & set(sys.modules)))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


@pytest.mark.parametrize("path", modules("diagnose/common"), ids=name)
def test_the_shared_leaf_imports_nothing_else_of_ours(path):
    assert not set(imported(ast.walk(ast.parse(path.read_text())))) & set(PACKAGES)
