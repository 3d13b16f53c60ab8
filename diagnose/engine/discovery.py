"""Finds probes, providers and faults through entry points, so that a package adds its own by being installed."""

import importlib
import pkgutil
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from types import ModuleType
from typing import Any, Generic, TypeVar

from diagnose.common.errors import short_error
from diagnose.common.provider import Provider
from diagnose.engine.decorators import Fault, Probe
from diagnose.engine.types import Outcome, Severity, Stage, Status

NOT_PROBES = frozenset({"facts", "faults", "guards", "reporting", "subjects"})
Item = TypeVar("Item")


@dataclass(frozen=True)
class Discovered(Generic[Item]):
    """What one entry-point group holds, in the order of registration, and the modules that could not be read."""

    items: tuple[Item, ...]
    unreadable: tuple[Outcome, ...] = ()


def probes() -> Discovered[Probe]:
    """Every probe, in stage order; an id that is taken already is unreadable, not a second opinion."""
    found = _collect("gonogo.probes", _probes_in, is_probe_module)
    stages = list(Stage)
    return _unique(found, key=lambda p: p.id, order=lambda p: (stages.index(p.stage), p.id))


def providers() -> Discovered[Provider]:
    """Every provider; for one fact the first that can give it does."""
    return _collect("gonogo.providers", _providers_in, is_provider_module)


def faults() -> Discovered[Fault]:
    """Every fault that can be put in on purpose."""
    return _unique(_collect("gonogo.faults", _faults_in), key=lambda f: f.id, order=lambda f: f.id)


def packages() -> list[str]:
    """The modules that registered anything: their source is part of what a receipt vouches for."""
    groups = ("gonogo.probes", "gonogo.providers", "gonogo.faults")
    return sorted({point.module.partition(".")[0] for group in groups for point in _points(group)})


def is_probe_module(child: pkgutil.ModuleInfo) -> bool:
    return child.name not in NOT_PROBES


def is_provider_module(child: pkgutil.ModuleInfo) -> bool:
    """Packages, and modules named `facts` or `…_facts`: what lies beside them measures, and imports torch."""
    return child.ispkg or child.name == "facts" or child.name.endswith("_facts")


def walk(
    name: str, wanted: Callable[[pkgutil.ModuleInfo], bool] = lambda child: True
) -> Iterator[ModuleType | Outcome]:
    """A module, or a package's modules in alphabetical order; what cannot be imported comes as a crashed outcome."""
    try:
        module = importlib.import_module(name)
    except Exception as error:
        yield _unreadable(name, short_error(error), traceback.format_exc())
        return
    yield module
    for child in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if wanted(child):
            yield from walk(f"{name}.{child.name}", wanted)


def _points(group: str) -> list[EntryPoint]:
    """Ours first, then others by name: the order must not depend on the file system."""
    return sorted(entry_points(group=group), key=lambda p: (p.name != "gonogo", p.name, p.value))


def _collect(
    group: str,
    read: Callable[[ModuleType], Iterator[Item]],
    wanted: Callable[[pkgutil.ModuleInfo], bool] = lambda child: True,
) -> Discovered[Item]:
    walked = [module for point in _points(group) for module in walk(point.module, wanted)]
    items = [item for module in walked if isinstance(module, ModuleType) for item in read(module)]
    return Discovered(tuple(items), tuple(outcome for outcome in walked if isinstance(outcome, Outcome)))


def _unique(found: Discovered[Item], key: Callable[[Item], str], order: Callable[[Item], Any]) -> Discovered[Item]:
    first: dict[str, Item] = {}
    twice = [item for item in found.items if first.setdefault(key(item), item) is not item]
    told_twice = tuple(
        _unreadable(_home(item), f"the id {key(item)} is taken by {_home(first[key(item)])}") for item in twice
    )
    return Discovered(tuple(sorted(first.values(), key=order)), found.unreadable + told_twice)


def _home(item: Any) -> str:
    function = item.check if isinstance(item, Probe) else item.inject
    return f"{function.__module__}.{function.__name__}"


def _probes_in(module: ModuleType) -> Iterator[Probe]:
    return (v for v in vars(module).values() if isinstance(v, Probe) and v.check.__module__ == module.__name__)


def _faults_in(module: ModuleType) -> Iterator[Fault]:
    return (v for v in vars(module).values() if isinstance(v, Fault) and v.inject.__module__ == module.__name__)


def _providers_in(module: ModuleType) -> Iterator[Provider]:
    return (v for v in vars(module).values() if isinstance(v, Provider) and v.function.__module__ == module.__name__)


def _unreadable(name: str, reason: str, trace: str = "") -> Outcome:
    title = "A module of probes or providers cannot be read."
    return Outcome(name, name, title, Stage.ENVIRONMENT, Severity.ERROR, Status.CRASHED, reason=reason, trace=trace)
