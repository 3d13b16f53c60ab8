"""Names: the words of the field, one word for one thing."""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from diagnose.engine.discovery import faults
from tests.support.import_graph import modules

# Past participles as nouns, and words of a story instead of a manual: nobody greps for them.
FORBIDDEN = {
    "again", "asked", "beside", "birth", "births", "blackbox", "book", "books", "born", "chances", "cure", "cures",
    "dear", "ears", "eyes", "felt", "given", "gone", "gravest", "halves", "heard", "intake", "kept", "ledger",
    "lesson", "manner", "meant", "mend", "mended", "nobody", "nought", "reins", "roll", "said", "scene", "school",
    "seen", "sentinel", "sown", "spelt", "spoken", "stray", "strays", "tally", "taught", "thawed", "told", "tongue",
    "trail", "twin", "twins", "wanted", "whoever", "wobble",
}  # fmt: skip
# A name that people catch, and one that is a key in trainer_state.json.
STAYS = {"NotGiven", "told_step"}
# The guards of two frameworks, each under its own import path in the README.
TWICE = {"GuardCallback"}


def words(name: str) -> list[str]:
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def public_names() -> Iterator[tuple[str, str]]:
    """Modules, classes, functions, methods, fields, parameters of public functions; a fault's id is a key on disk."""
    ids = {fault.inject.__module__: fault.id for fault in faults().items}
    for module, tree in modules().items():
        yield from ((module, part) for part in module.split(".") if part != ids.get(module))
        for node in ast.walk(tree):
            yield from ((module, name) for name in names_in(node) if name != ids.get(module))


def names_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.ClassDef):
        yield node.name
        yield from (n.target.id for n in node.body if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name))
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and is_public(node.name):
        yield node.name
        yield from (argument.arg for argument in (*node.args.args, *node.args.kwonlyargs))
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and is_public(node.attr):
        yield node.attr


def is_public(name: str) -> bool:
    return not name.startswith("_") or name == "__init__"


def test_no_public_name_is_a_word_that_nobody_greps_for():
    wrong = {(module, name) for module, name in public_names() if is_public(name) and FORBIDDEN & set(words(name))}
    assert {row for row in wrong if row[1] not in STAYS} == set()


def test_no_private_function_or_class_is_one_either():
    defined = ast.FunctionDef, ast.ClassDef
    found = [(m, n.name) for m, tree in modules().items() for n in ast.walk(tree) if isinstance(n, defined)]
    assert {row for row in found if row[1].startswith("_") and FORBIDDEN & set(words(row[1]))} == set()


def test_a_forbidden_word_would_be_seen():
    (node,) = ast.parse("def f(wanted, x): self.books = x").body
    assert [FORBIDDEN & set(words(name)) for name in names_in(node)] == [set(), {"wanted"}, set()]
    assert words("LossBook") == ["loss", "book"] and words("first_to_meet") == ["first", "to", "meet"]


def test_no_two_classes_share_a_name():
    classes = Counter(n.name for tree in modules().values() for n in ast.walk(tree) if isinstance(n, ast.ClassDef))
    assert {name for name, count in classes.items() if count > 1} <= TWICE
