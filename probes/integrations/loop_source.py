"""The loop over batches around a call, read from its source and made a function that can be run over other batches."""

import ast
import linecache
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

from probes.integrations.loop_function import BATCHES, loop_function

AROUND = ("enumerate", "tqdm", "track", "islice", "iter")  # calls around a loader that yield what it yields
LOOPS = (ast.For, ast.While)
Value = int | float | str | bytes | None


class NoLoop(Exception):
    """There is no loop over batches around the call, or it cannot be run again; says why."""


@dataclass(frozen=True)
class ReadAnew:
    """Batches that a call in the loop gives, called again whenever they are read."""

    read: Callable[[], Any]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.read())


@dataclass(frozen=True)
class LoopSource:
    """A loop as a function of its variables; `batches`: what it reads."""

    function: Callable[..., None]
    variables: Mapping[str, Any]
    batches: Any

    def run(self, batches: Iterator[Any], replaced: Mapping[int, Any]) -> None:
        """Runs the loop over these batches. `replaced`: other values for variables, by the id of what they hold."""
        values = {name: replaced.get(id(value), value) for name, value in self.variables.items()}
        self.function(**values, **{BATCHES: batches})


def loop_around(frame: FrameType | None, outermost: FrameType | None = None) -> LoopSource:
    """The innermost loop around the frame that reads batches, as far as the outermost frame."""
    while frame is not None:
        if found := _loop_in(frame):
            return found
        frame = None if frame is outermost else frame.f_back
    raise NoLoop("no loop over batches was found around the first backward pass")


def _loop_in(frame: FrameType) -> LoopSource | None:
    ways = _loops_at(frame)
    for way in reversed(ways):
        loop = way[-1]
        reader = _reader(loop, frame)
        if reader is not None:
            return _compiled(way, reader, frame)
    return None


def _loops_at(frame: FrameType) -> list[list[ast.AST]]:
    """For each loop of this frame's own code around its present line: the nodes from the module to it."""
    lines = linecache.getlines(frame.f_code.co_filename, frame.f_globals)
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:  # a template, or a language of its own
        return []
    return list(_ways([tree], frame))


def _ways(way: list[ast.AST], frame: FrameType) -> Iterator[list[ast.AST]]:
    node = way[-1]
    if isinstance(node, LOOPS) and _start(_scope(way)) == frame.f_code.co_firstlineno:
        yield way
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt) and child.lineno <= frame.f_lineno <= (child.end_lineno or 0):
            yield from _ways([*way, child], frame)


def _scope(way: list[ast.AST]) -> ast.AST:
    functions = [node for node in way if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Module)]
    return functions[-1]


def _start(scope: ast.AST) -> int:
    """The first line of a function's code, as Python counts it; a module's is 1, in a frame as well."""
    if isinstance(scope, ast.Module):
        return 1
    decorators = getattr(scope, "decorator_list", [])
    return min(node.lineno for node in (scope, *decorators))


def _reader(loop: ast.AST, frame: FrameType) -> ast.expr | None:
    """The expression that gives the batches: what `for` reads, or what `next` is called on; None where neither is."""
    if isinstance(loop, ast.For):
        names = [node.id for node in ast.walk(loop.target) if isinstance(node, ast.Name)]
        if not all(isinstance(_value_of(name, frame), Value) for name in names):
            return _inner(loop.iter)
    calls = [node for node in ast.walk(loop) if isinstance(node, ast.Call) and _name(node.func) == "next" and node.args]
    return _inner(calls[0].args[0]) if calls else None


def _inner(read: ast.expr) -> ast.expr:
    while isinstance(read, ast.Call) and _name(read.func) in AROUND and read.args:
        read = read.args[0]
    return read


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _value_of(name: str, frame: FrameType) -> Any:
    return frame.f_locals.get(name, frame.f_globals.get(name))


def _compiled(way: list[ast.AST], reader: ast.expr, frame: FrameType) -> LoopSource:
    loop: Any = way[-1]
    if any(isinstance(node, ast.Await | ast.Yield | ast.YieldFrom | ast.AsyncFor) for node in ast.walk(loop)):
        raise NoLoop(f"the loop at {frame.f_code.co_filename}:{loop.lineno} awaits or yields, and cannot be run again")
    code = compile(ast.Expression(reader), "<batches>", "eval")
    read = partial(eval, code, frame.f_globals, dict(frame.f_locals))
    batches = ReadAnew(read) if isinstance(reader, ast.Call) else read()
    variables = _variables(loop, frame)
    return LoopSource(loop_function(loop, reader, way, list(variables), frame), variables, batches)


def _variables(loop: ast.AST, frame: FrameType) -> dict[str, Any]:
    """The local variables of a function; of a module, those that the loop names."""
    named = {node.id for node in ast.walk(loop) if isinstance(node, ast.Name)}
    held = {name: value for name, value in frame.f_locals.items() if name in named and not name.startswith("__")}
    return held | {name: frame.f_globals[name] for name in named & frame.f_globals.keys() - held.keys()}
