"""Describes an error from its traceback: the module that ran, the shapes, the user's line."""

import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from diagnose.engine.context import NotApplicable
from probes.facts.core.types import Failure

MEASURING = f"{Path(__file__).parents[1]}/"  # the modules that measure
# Installed packages, the standard library and what measures: not where a person looks for their error.
FOREIGN = (
    "site-packages",
    "dist-packages",
    "<frozen",
    str(Path(traceback.__file__).parent),
    MEASURING,
)


def failure_of(error: BaseException, model: torch.nn.Module | None, phase: str) -> Failure:
    """The failure with the innermost module of the model that was running, and the shapes of its arguments.

    A question that does not apply (no loss is known) is no failure of the run: it goes on its way.
    """
    if isinstance(error, NotApplicable):
        raise error
    modules = model.named_modules() if model is not None else ()
    names = {id(module): name or "the model itself" for name, module in modules}
    inner = [frame for frame in _frames(error) if id(frame.f_locals.get("self")) in names]
    where = inner[-1] if inner else None
    return Failure(
        phase=phase,
        error=type(error).__name__,
        message=one_line(str(error)),
        module=names[id(where.f_locals["self"])] if where else "",
        kind=type(where.f_locals["self"]).__name__ if where else "",
        shapes=_shapes(where) if where else "",
        line=user_line(error),
        trace="".join(traceback.format_exception(error)),
    )


def user_line(error: BaseException) -> str:
    """file:line of the innermost frame outside of installed packages; of the innermost one at all, if there is none."""
    frames = [(frame.filename, str(frame.lineno)) for frame in traceback.extract_tb(error.__traceback__)]
    frames += re.findall(r'File "(.+?)", line (\d+)', str(error))  # a loader's worker hands its trace over as text
    own = [frame for frame in frames if not any(part in frame[0] for part in FOREIGN)]
    return ":".join((own or frames)[-1]) if frames else ""


def _frames(error: BaseException) -> Iterator[FrameType]:
    trace = error.__traceback__
    while trace is not None:
        yield trace.tb_frame
        trace = trace.tb_next


def _shapes(frame: FrameType) -> str:
    """The shapes of the frame's arguments that are tensors, by parameter name."""
    code = frame.f_code
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    arguments: list[tuple[str, Any]] = [(name, frame.f_locals.get(name)) for name in names]
    return ", ".join(f"{name} {list(value.shape)}" for name, value in arguments if isinstance(value, torch.Tensor))


def one_line(text: str, limit: int = 300) -> str:
    """One line; of a worker's trace its last, which is the error."""
    lines = [line.strip() for line in text.strip().splitlines() if line.strip()]
    joined = lines[-1] if "Original Traceback" in text else " ".join(lines)
    return joined if len(joined) <= limit else joined[: limit - 1] + "…"
