"""A loop's nodes as a function of its variables, in which the batches come from outside."""

import ast
from collections.abc import Callable
from types import FrameType
from typing import Any

BATCHES = "watched_batches"  # the name that takes the place of the loader in the function


class _Replace(ast.NodeTransformer):
    """One expression, by the name of the batches."""

    def __init__(self, old: ast.expr) -> None:
        self.old = ast.dump(old)

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, ast.expr) and ast.dump(node) == self.old:
            return ast.copy_location(ast.Name(BATCHES, ast.Load()), node)
        return self.generic_visit(node)


def loop_function(
    loop: ast.AST, reader: ast.expr, way: list[ast.AST], names: list[str], frame: FrameType
) -> Callable[..., None]:
    """Lines stay as they are in the file; a class around it keeps the names with two underscores."""
    inside: Any = ast.parse(f"def watched_loop({', '.join(['*', *names, BATCHES])}): pass").body[0]
    inside.body = [_Replace(reader).visit(loop)]
    classes = [node for node in way if isinstance(node, ast.ClassDef)]
    module = ast.parse(f"class {classes[-1].name}: pass" if classes else "")
    outside: Any = module.body[0] if classes else module
    outside.body = [inside]
    ast.fix_missing_locations(module)
    space: dict[str, Any] = {}
    exec(compile(module, frame.f_code.co_filename, "exec", dont_inherit=True), frame.f_globals, space)
    return vars(space[classes[-1].name])["watched_loop"] if classes else space["watched_loop"]
