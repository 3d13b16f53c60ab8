"""Finds probes, providers and faults through entry points, so that a package adds its own by being installed."""

import importlib
import logging
import pkgutil
import traceback
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from io import StringIO
from textwrap import shorten
from types import ModuleType
from typing import Any, Generic, TypeVar

from diagnose.common.activity import doing
from diagnose.common.errors import short_error
from diagnose.common.provider import Provider
from diagnose.engine.decorators import Fault, Probe
from diagnose.engine.types import Outcome, Severity, Stage, Status

log = logging.getLogger(__name__)

NOT_PROBES = frozenset({"facts", "faults", "guards", "integrations", "reporting", "subjects"})
Item = TypeVar("Item", Probe, Provider, Fault)
ModuleFilter = Callable[[pkgutil.ModuleInfo], bool]


@dataclass(frozen=True)
class Discovered(Generic[Item]):
    """What one entry-point group holds, in the order of registration, and the modules that could not be read."""

    items: tuple[Item, ...]
    unreadable: tuple[Outcome, ...] = ()


def probes() -> Discovered[Probe]:
    """Every probe, in stage order; an id that is taken already is unreadable, not a second opinion."""
    found = _collect("gonogo.probes", Probe, is_probe_module)
    stages = list(Stage)
    return _unique(found, key=lambda p: p.id, order=lambda p: (stages.index(p.stage), p.id))


def providers() -> Discovered[Provider]:
    """Every provider; for one fact the first that can give it does."""
    return _collect("gonogo.providers", Provider, is_provider_module)


def faults() -> Discovered[Fault]:
    """Every fault that can be put in on purpose."""
    return _unique(_collect("gonogo.faults", Fault), key=lambda f: f.id, order=lambda f: f.id)


def packages() -> list[str]:
    """The modules that registered anything: their source is part of what a receipt vouches for."""
    groups = ("gonogo.probes", "gonogo.providers", "gonogo.faults")
    return sorted({point.module.partition(".")[0] for group in groups for point in _points(group)})


def integration(name: str) -> ModuleType:
    """A module of the probes' package that joins a trainer of others; it is imported when it is first used."""
    return importlib.import_module(f"{_points('gonogo.probes')[0].module}.integrations.{name}")


def is_probe_module(child: pkgutil.ModuleInfo) -> bool:
    return child.name not in NOT_PROBES


def is_provider_module(child: pkgutil.ModuleInfo) -> bool:
    """Packages, and modules named `facts` or `…_facts`: what lies beside them measures, and imports torch."""
    return child.ispkg or child.name == "facts" or child.name.endswith("_facts")


def walk(name: str, accepts: ModuleFilter = lambda child: True) -> Iterator[ModuleType | Outcome]:
    """A module, or a package's modules in alphabetical order; what cannot be imported comes as a crashed outcome."""
    try:
        module = _import(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        yield _unreadable(name, short_error(error), traceback.format_exc())
        return
    yield module
    for child in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if accepts(child):
            yield from walk(f"{name}.{child.name}", accepts)


def _import(name: str) -> ModuleType:
    """What the module prints is a warning that names it: stdout holds the result of the command only."""
    printed = StringIO()
    with doing(f"importing {name}"), redirect_stdout(printed):
        module = importlib.import_module(name)
    if text := printed.getvalue().strip():
        log.warning("%s prints when it is imported: %s", name, shorten(text, 80))
    return module


def _points(group: str) -> list[EntryPoint]:
    """Ours first, then others by name: the order must not depend on the file system."""
    return sorted(entry_points(group=group), key=lambda p: (p.name != "gonogo", p.name, p.value))


def _collect(group: str, kind: type[Item], accepts: ModuleFilter = lambda child: True) -> Discovered[Item]:
    """Every object of this kind, from the module that defines its function."""
    walked = [module for point in _points(group) for module in walk(point.module, accepts)]
    pairs = [(module, v) for module in walked if isinstance(module, ModuleType) for v in vars(module).values()]
    items = [v for module, v in pairs if isinstance(v, kind) and _function_of(v).__module__ == module.__name__]
    return Discovered(tuple(items), tuple(outcome for outcome in walked if isinstance(outcome, Outcome)))


def _function_of(item: Probe | Provider | Fault) -> Callable[..., Any]:
    if isinstance(item, Probe):
        return item.check
    return item.inject if isinstance(item, Fault) else item.function


def _unique(found: Discovered[Item], key: Callable[[Item], str], order: Callable[[Item], Any]) -> Discovered[Item]:
    first: dict[str, Item] = {}
    twice = [item for item in found.items if first.setdefault(key(item), item) is not item]
    taken: list[Outcome] = [
        _unreadable(_home(item), f"the id {key(item)} is taken by {_home(first[key(item)])}") for item in twice
    ]
    return Discovered(tuple(sorted(first.values(), key=order)), (*found.unreadable, *taken))


def _home(item: Probe | Fault | Provider) -> str:
    function = _function_of(item)
    return f"{function.__module__}.{function.__name__}"


def _unreadable(name: str, reason: str, trace: str = "") -> Outcome:
    title = "A module of probes or providers cannot be read."
    return Outcome(name, name, title, Stage.ENVIRONMENT, Severity.ERROR, Status.CRASHED, reason=reason, trace=trace)
