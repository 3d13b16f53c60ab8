"""The imports of the product, read from its source: between modules, and from a probe back to the batch."""

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("trainer", "diagnose", "probes")
# Where the way of a finding begins: what a person gives, and the batches drawn from it.
START = {"model", "trainer", "optimizer", "tokenizer", "collate", "train_batches", "eval_batches", "train_rows"}
START |= {"eval_rows", "train_dataset", "eval_dataset", "batch", "drawn_batches", "batch_drawing"}


@cache
def modules() -> dict[str, ast.Module]:
    """Every module of the product by its dotted name; a package by its own."""
    found = {}
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = ast.parse(path.read_text("utf-8"))
    return found


def imported(nodes: Iterable[ast.AST]) -> set[str]:
    """The modules of the product that these statements import."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name in modules()}
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            found |= {name if name in modules() else str(node.module) for name in names}
    return found & set(modules())


def running(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all beneath it, functions included; what stands under TYPE_CHECKING is never run."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test)):
            yield from running(child)


@cache
def graph() -> dict[str, set[str]]:
    """Who imports whom, at the top or inside a function."""
    return {name: imported(running(tree)) - {name} for name, tree in modules().items()}


def cycles(edges: dict[str, set[str]]) -> list[list[str]]:
    """Groups of nodes that lead back to themselves."""
    reach = {node: closure({node}, edges.__getitem__) for node in edges}
    groups = {frozenset(other for other in reach[node] if node in reach[other]) for node in edges}
    return sorted(sorted(group) for group in groups if len(group) > 1)


def closure(start: Iterable[str], further: Callable[[str], Iterable[str]]) -> set[str]:
    found: set[str] = set()
    todo = list(start)
    while todo:
        if (node := todo.pop()) not in found:
            found.add(node)
            todo += further(node)
    return found


def is_marked(function: ast.AST, mark: str) -> bool:
    """Whether a function stands under @probe or @provider."""
    marks = getattr(function, "decorator_list", ())
    return any(getattr(getattr(one, "func", one), "id", "") == mark for one in marks)


@cache
def providers() -> dict[str, tuple[str, ast.FunctionDef]]:
    """The first provider of each fact: its module, and the function."""
    marked = [
        (name, node)
        for name, tree in modules().items()
        for node in tree.body
        if name.startswith("probes.facts.") and isinstance(node, ast.FunctionDef) and is_marked(node, "provider")
    ]
    return {node.name: (name, node) for name, node in sorted(marked, key=lambda one: -priority(one[1]))}


def priority(provider: ast.FunctionDef) -> int:
    keywords = [keyword for mark in provider.decorator_list for keyword in getattr(mark, "keywords", ())]
    written = [keyword.value for keyword in keywords if keyword.arg == "priority"]
    return next((value.value for value in written if isinstance(value, ast.Constant)), 1)


def required(function: ast.FunctionDef) -> list[str]:
    arguments = function.args.args
    return [argument.arg for argument in arguments[: len(arguments) - len(function.args.defaults)]]


def way(probe: str, function: ast.FunctionDef) -> set[str]:
    """The modules one reads from a batch to this probe's finding: its facts, theirs, and what measures them."""
    facts = closure(required(function), lambda fact: required(providers()[fact][1]) if measured(fact) else ())
    found = {probe} | graph()[probe]
    for home, provider in (providers()[fact] for fact in facts if measured(fact)):
        names = {node.id for node in ast.walk(provider) if isinstance(node, ast.Name)}
        helpers = [node for node in modules()[home].body if getattr(node, "name", "") in names and not is_fact(node)]
        found |= {home} | closure(imported(running_all([provider, *helpers])), graph().__getitem__)
    return {name for name in found if name.startswith("probes.")}


def measured(fact: str) -> bool:
    return fact in providers() and fact not in START


def is_fact(node: ast.AST) -> bool:
    return is_marked(node, "provider")


def running_all(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    return (inner for node in nodes for inner in running(node))
