"""`diagnose.PreflightCallback`: a preflight inside the trainer, before its first step."""

import logging
import sys
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any, Self

from diagnose.common.errors import InputError
from diagnose.engine.engine import installed
from diagnose.engine.report import Report
from diagnose.gate.gate import valid_receipt
from diagnose.gate.receipt import Receipt
from diagnose.gate.run_preflight import run_preflight
from diagnose.render.progress import preflight_progress

log = logging.getLogger(__name__)

MODES = ("stop", "warn")
FRAMEWORKS = {"transformers": "TrainerCallback", "lightning.pytorch": "Callback", "pytorch_lightning": "Callback"}


class PreflightCallback:
    """A preflight inside the trainer, before its first step: for transformers' Trainers and for Lightning.

        trainer = Trainer(..., callbacks=[diagnose.PreflightCallback()])

    `mode="stop"` raises PreflightFailed unless the verdict is GO, `mode="warn"` logs it. Facts that the trainer does
    not know are given by name: PreflightCallback(trainable=["*adapter*"]). Looks once for each trainer, and writes
    report and receipt into the run's output folder; a resumed run accepts the receipt of its own start. `report` is
    there afterwards.
    """

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Of the frameworks that are imported by now: this module may be imported before them."""
        return super().__new__(_class_for_frameworks() if cls is PreflightCallback else cls)

    def __init__(self, mode: str = "stop", **facts: Any) -> None:
        refuse_mode(mode)
        self.facts = facts
        self.report: Report | None = None
        self.judge: Callable[[Report], None] = partial(judge_report, mode=mode)
        self._checked: set[int] = set()

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        """Called by transformers, after model, optimizer and schedule were made."""
        from probes.integrations.trainer_run import facts_of_trainer, trainer_of

        trainer = trainer_of(self)
        self._check(trainer, args.world_size, lambda: facts_of_trainer(trainer), resumed=state.global_step > 0)

    def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
        """Called by Lightning, after the optimizers were made."""
        from probes.integrations.lightning_module import facts_of_fit

        resumed = trainer.ckpt_path is not None
        self._check(trainer, trainer.world_size, lambda: facts_of_fit(trainer, pl_module), resumed)

    def _check(self, trainer: Any, processes: int, facts_of: Any, resumed: bool) -> None:
        """Once for each trainer."""
        if id(trainer) in self._checked:
            return
        if processes > 1:
            raise InputError(
                f"PreflightCallback checks a run in one process and this one has {processes}: "
                "remove it here, and run diagnose preflight --subject package.module:function --processes N before"
            )
        self._checked.add(id(trainer))
        facts = facts_of() | self.facts
        if resumed and isinstance(found := _receipt_of(facts), Receipt):
            log.info("the receipt of %s is valid: %s", found.created, found.signature)
            return
        self.report = look(facts)
        self.judge(self.report)


def refuse_mode(mode: str) -> None:
    """Raises InputError for a mode that there is not."""
    if mode not in MODES:
        raise InputError(f"mode {mode!r}: expected one of {', '.join(MODES)}")


def judge_report(report: Report, mode: str) -> None:
    """Mode stop raises PreflightFailed unless the verdict is go; mode warn logs it."""
    if mode == "stop":
        report.require()
    level = logging.INFO if report.exit_code == 0 else logging.WARNING
    log.log(level, "preflight: %s", report.headline)


def look(facts: Mapping[str, Any]) -> Report:
    """A preflight, with a line that moves where stderr is a terminal."""
    with preflight_progress(lines=False) as watcher:
        return run_preflight(facts, watcher=watcher).report


def _receipt_of(facts: Mapping[str, Any]) -> Receipt | str:
    return valid_receipt(installed().context(facts), resumed=True)


def _class_for_frameworks() -> Any:
    bases = [getattr(sys.modules[name], base) for name, base in FRAMEWORKS.items() if name in sys.modules]
    if not bases:
        raise InputError("PreflightCallback needs a trainer: import transformers or lightning.pytorch first")
    return _class_with(tuple(dict.fromkeys(bases)))


@cache
def _class_with(bases: tuple[type, ...]) -> type:
    """A subclass of each framework's callback; an event that two of them have takes the arguments of both."""
    events = [{name for name in dir(base) if name.startswith("on_")} for base in bases]
    shared = {name: _accept for one in events for other in events if one is not other for name in one & other}
    text = PreflightCallback.__doc__
    return type("PreflightCallback", (PreflightCallback, *bases), {**shared, "__doc__": text, "__module__": __name__})


def _accept(self: Any, *_: Any, **__: Any) -> None:
    """An event that is not used."""
