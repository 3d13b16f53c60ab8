"""--subject package.module:function: a person's own function that returns a dict of facts, or a Trainer."""

import importlib
import inspect
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from traceback import extract_tb
from typing import Any

from diagnose.common.activity import doing
from diagnose.common.errors import InputError, short_error
from diagnose.engine.seeding import seed_all

PRECISIONS = ("fp32", "fp16", "bf16")


def subject_facts(subject: str, seed: int | None = None) -> dict[str, Any]:
    """The facts of one process, and `rank_facts` for several; raises InputError with what is wrong in one sentence."""
    rank_facts = RankFacts(subject, seed)
    return {"rank_facts": rank_facts} | rank_facts(0, 1)


def take_precision(facts: dict[str, Any]) -> str | None:
    """The fact `precision`, taken out: the commands that look at one step have a parameter of that name."""
    value = facts.pop("precision", None)
    if value in (None, *PRECISIONS):
        return value
    raise InputError(f"the fact precision is {value!r}; expected one of {', '.join(PRECISIONS)}")


class RankFacts:
    """The fact of that name. `aware`: the function takes (rank, processes), and describes one process.

    With a seed, all processes begin from it, as the subject itself did.
    """

    def __init__(self, subject: str, seed: int | None = None) -> None:
        self.subject, self.function, self.seed = subject, _function(subject), seed
        self.aware = bool(_places(self.function, 0, 1))

    def __call__(self, rank: int, processes: int) -> dict[str, Any]:
        if self.seed is not None:
            seed_all(self.seed)
        return _called(self.subject, partial(self.function, **_places(self.function, rank, processes)))


def _places(function: Callable[..., Any], rank: int, processes: int) -> dict[str, int]:
    """The arguments for a function with parameters of these names; none for any other."""
    try:
        names = inspect.signature(function).parameters
    except (TypeError, ValueError):  # a class of C has no signature
        return {}
    places = {"rank": rank, "processes": processes}
    return places if places.keys() <= names.keys() else {}


def _called(subject: str, function: Callable[[], Any]) -> dict[str, Any]:
    try:
        with doing(f"running --subject {subject}"):
            returned = function()
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        frame = extract_tb(error.__traceback__)[-1]
        what = f"{short_error(error)} ({frame.filename}, line {frame.lineno})"
        raise InputError(f"--subject {subject}: the function raised {what}; fix it first") from error
    if _is_trainer(returned):
        return {"trainer": returned}
    if isinstance(returned, dict) and returned:
        return {str(name): value for name, value in returned.items()}
    found = _described(returned)
    raise InputError(f"--subject {subject}: the function returned {found}, expected a dict of facts or a Trainer")


def _function(subject: str) -> Callable[[], Any]:
    name, colon, attribute = subject.partition(":")
    if not (name and colon and attribute):
        raise InputError(f"--subject {subject}: expected package.module:function, such as my_project.training:facts")
    if str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))  # a person's project is where they stand, as with python -m
    try:
        with doing(f"importing {name} for --subject {subject}"):
            module = importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise InputError(f"--subject {subject}: {name} cannot be imported ({short_error(error)})") from error
    function = getattr(module, attribute, None)
    if not callable(function):
        found = "there is no such name" if function is None else f"it is a {type(function).__name__}"
        raise InputError(f"--subject {subject}: expected a function {attribute} in {name}, but {found}")
    return function


def _is_trainer(value: Any) -> bool:
    """By the names of its base classes, so that transformers need not be imported."""
    return any(cls.__name__ == "Trainer" and cls.__module__.startswith("transformers.") for cls in type(value).__mro__)


def _described(value: Any) -> str:
    if value is None:
        return "nothing"
    return "an empty dict" if value == {} else f"a {type(value).__name__}"
