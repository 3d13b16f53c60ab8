"""Whether the code that asked for the diagnosis calls set_epoch, itself or in a function that it names."""

import inspect
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from types import CodeType, FrameType
from typing import Any

NAME = "set_epoch"
OURS = {"diagnose", "probes"}
LIBRARIES = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib"))


def calls_set_epoch() -> bool | None:
    """None where no code of the user's is running: nobody knows then."""
    seen: set[CodeType] = set()
    frames = [frame for frame in _frames() if _is_users(frame.f_code, frame.f_globals)]
    if not frames:
        return None
    return any(_reaches(frame.f_code, {**frame.f_globals, **_methods(frame)}, seen) for frame in frames)


def _frames() -> Iterator[FrameType]:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _is_users(code: CodeType, names: Mapping[str, Any]) -> bool:
    package = str(names.get("__name__", "")).partition(".")[0]
    return package not in OURS and not code.co_filename.startswith((*LIBRARIES, "<frozen"))


def _methods(frame: FrameType) -> Mapping[str, Any]:
    """The other methods of the object whose method runs."""
    return dict(inspect.getmembers(type(frame.f_locals["self"]))) if "self" in frame.f_locals else {}


def _reaches(code: CodeType, names: Mapping[str, Any], seen: set[CodeType]) -> bool:
    if code in seen:
        return False
    seen.add(code)
    if NAME in code.co_names:
        return True
    inner = [(part, names) for part in code.co_consts if isinstance(part, CodeType)]
    for function in (names.get(name) for name in code.co_names):
        if inspect.isfunction(function) and _is_users(function.__code__, function.__globals__):
            inner.append((function.__code__, function.__globals__))
    return any(_reaches(part, known, seen) for part, known in inner)
