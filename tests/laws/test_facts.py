"""A derived fact holds plain values, and what is measured is judged elsewhere."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
import pytest

from diagnose.engine import discovery
from diagnose.engine.user_facts import ROOTS
from tests.support.import_graph import ROOT

PLAIN = {int, float, str, bool, bytes, complex, type(None), ..., np.ndarray, Path}
# Objects of the run itself: the batches as they were drawn, and the model with the functions that run it.
OF_THE_RUN = {"drawn_batches", "batch", "memory_batches", "readable_dataset", "step_setup", "update_setup"} | {
    "model_bundle",
    "configured_dataset",
    "run_generate",
    "run_decode",
    "keep_fp32",
}
LIVE_FIELDS = {"DrawnBatches.batches", "PickedBatch.batch"}  # the same batches: drawn again, they may be others
ARRAYS = {"Clip.samples", "Sample.values"}  # numpy; annotated Any because a types module imports no numpy
OPEN = {"BatchScan.classes", "nan_search_options", "config_values"}  # numbers of any kind; options, settings by name
DERIVED = [p for p in discovery.providers().items if p.fact not in {*ROOTS, *OF_THE_RUN}]


def live_parts(hint: Any, where: str, seen: set[type]) -> Iterator[str]:
    """Where a type may hold anything but numbers, names and small arrays."""
    if get_origin(hint) is Callable:
        yield where
    elif get_args(hint):
        for part in get_args(hint):
            yield from live_parts(part, where, seen)
    elif is_dataclass(hint):
        if hint in seen:
            return
        seen.add(hint)
        hints = get_type_hints(hint, vars(__import__(hint.__module__, fromlist=["_"])))
        for field in fields(hint):
            yield from live_parts(hints[field.name], f"{hint.__name__}.{field.name}", seen)
    elif hint not in PLAIN and not (isinstance(hint, type) and issubclass(hint, str | int)):
        yield where


@pytest.mark.parametrize("provider", DERIVED, ids=lambda provider: provider.source)
def test_a_derived_fact_holds_plain_values(provider):
    hint = provider.function.__annotations__["return"]
    hint = eval(hint, names_for_types(provider.function)) if isinstance(hint, str) else hint
    assert set(live_parts(hint, provider.fact, set())) <= LIVE_FIELDS | ARRAYS | OPEN


def names_for_types(function: Callable[..., Any]) -> dict[str, Any]:
    """The names of the function's module, with what it imports under TYPE_CHECKING."""
    names = dict(function.__globals__)
    for node in ast.parse(Path(function.__code__.co_filename).read_text("utf-8")).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            exec(compile(ast.Module(node.body, []), "<types>", "exec"), names)
    return names


def numbers_that_judge(path: Path) -> Iterator[str]:
    """Comparisons with a number that is neither 0, 1 nor 2, also through a constant of the module."""
    tree = ast.parse(path.read_text("utf-8"))
    named = {ast.unparse(t): node.value for node in tree.body if isinstance(node, ast.Assign) for t in node.targets}
    for node in ast.walk(tree):
        for side in ast.walk(node) if isinstance(node, ast.Compare) else ():
            value = named.get(side.id) if isinstance(side, ast.Name) else side
            if (
                isinstance(value, ast.Constant)
                and isinstance(value.value, int | float)
                and value.value not in (0, 1, 2)
            ):
                yield f"{path.parent.name}/{path.name}:{node.lineno} {ast.unparse(node)}"


def test_types_hold_no_thresholds():
    found = [one for path in (ROOT / "probes/facts").rglob("*types.py") for one in numbers_that_judge(path)]
    assert found == ["core/types.py:127 share < 0.0005"]  # how a share is written, not whether it is too large
