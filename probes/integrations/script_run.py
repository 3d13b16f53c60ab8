"""`diagnose run`: a script of somebody else's, run as it is, with a preflight where its training begins."""

import importlib.abc
import importlib.util
import runpy
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial, wraps
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from diagnose.engine.report import Report
from probes.integrations.callback import PreflightCallback
from probes.integrations.watch import Watch

TRAINERS = {  # the method that trains, by the module that defines the class Trainer
    "transformers.trainer": "train",
    "lightning.pytorch.trainer.trainer": "fit",
    "pytorch_lightning.trainer.trainer": "fit",
}
Judge = Callable[[Report], None]


def run_script(script: Path, arguments: Sequence[str], judge: Judge, mode: str) -> bool:
    """Runs the script as Python does; `judge` gets each report. Whether there was one."""
    reports: list[Report] = []

    def keep(report: Report) -> None:
        reports.append(report)
        judge(report)

    with _as_python_runs(script, arguments), ExitStack() as stack:
        watch = Watch(mode=mode)
        watch.judge = keep
        stack.enter_context(_trainers_checked(watch, keep))
        stack.enter_context(watch)
        runpy.run_path(str(script), run_name="__main__")
    return bool(reports)


@contextmanager
def _as_python_runs(script: Path, arguments: Sequence[str]) -> Iterator[None]:
    before = sys.argv, sys.path[:]
    sys.argv, sys.path[:0] = [str(script), *arguments], [str(script.parent.resolve())]
    try:
        yield
    finally:
        sys.argv, sys.path[:] = before


@contextmanager
def _trainers_checked(watch: Watch, judge: Judge) -> Iterator[None]:
    """Adds a PreflightCallback to each Trainer of transformers or Lightning when it begins to train."""
    finder = AfterImport(partial(_check_trainer, watch=watch, judge=judge))
    for name in TRAINERS.keys() & sys.modules.keys():
        finder.change(sys.modules[name])
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for put_back in finder.put_back:
            put_back()


class AfterImport(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Changes a module of TRAINERS when it has been imported."""

    def __init__(self, change: Callable[[ModuleType], Callable[[], None]]) -> None:
        self.put_back: list[Callable[[], None]] = []
        self._change, self._loaders = change, {}  # type: ignore[var-annotated]

    def change(self, module: ModuleType) -> None:
        self.put_back.append(self._change(module))

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name not in TRAINERS or name in self._loaders:
            return None
        self._loaders[name] = None  # the search below asks this finder again
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            self._loaders[name], spec.loader = spec.loader, self
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loaders[spec.name].create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        loader = self._loaders[module.__name__]
        module.__loader__ = loader
        if module.__spec__ is not None:
            module.__spec__.loader = loader
        loader.exec_module(module)
        self.change(module)


def _check_trainer(module: ModuleType, watch: Watch, judge: Judge) -> Callable[[], None]:
    """Wraps the method that trains; gives what unwraps it."""
    trainer, name = module.Trainer, TRAINERS[module.__name__]
    usual = getattr(trainer, name)

    @wraps(usual)
    def train(self: Any, *args: Any, **kwargs: Any) -> Any:
        watch.hand_over()
        callback = PreflightCallback(mode="warn")
        callback.judge = judge
        callbacks = self.callbacks if name == "fit" else self.callback_handler.callbacks
        callbacks.append(callback)
        try:
            return usual(self, *args, **kwargs)
        finally:
            if callback in callbacks:
                callbacks.remove(callback)

    setattr(trainer, name, train)
    return lambda: setattr(trainer, name, usual)
