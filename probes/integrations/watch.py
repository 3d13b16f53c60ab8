"""`diagnose.watch`: a preflight inside a plain training loop, after its first step, and a guard from then on."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any, Self

import torch
from torch.optim.optimizer import Optimizer

from diagnose.common.errors import InputError
from diagnose.engine.report import Report
from probes.facts.core.observer import restore_afterwards
from probes.facts.nonfinite.traced_step import unwrapped
from probes.integrations.callback import judge_report, look, refuse_mode
from probes.integrations.loop_facts import WatchedLoop
from probes.integrations.loop_source import LoopSource, NoLoop, loop_around
from probes.integrations.step_events import AUTOCAST, BACKWARD, CLEAR, CLEARED, STEP, STEPPED, listen
from probes.integrations.watch_guard import guarded
from probes.integrations.watched_objects import (
    divisor_of,
    modules_in,
    outermost,
    plain_optimizer,
    precision_of_autocast,
    state_to_put_back,
)

log = logging.getLogger(__name__)

NEXT = "next"  # the forward pass after the first update, where zero_grad is never called


class Watch:
    """Checks a plain training loop after its first step, then guards every step.

        with diagnose.watch(model, optimizer):
            for batch in loader: ...

    The loop is run again, from its source, over other batches; model, optimizer, random states and variables are
    restored, and the losses that follow are the same to the last bit. `mode="stop"` raises PreflightFailed unless the
    verdict is go, and Stopped for a step that is not finite; "warn" logs both. Further facts replace what the loop
    says: watch(model, optimizer, tokenizer=tokenizer). `report` is there after the first step.
    """

    def __init__(self, model: Any = None, optimizer: Any = None, *, mode: str = "stop", **facts: Any) -> None:
        refuse_mode(mode)
        self.wrapper, self.optimizer, self.mode, self.facts = model, plain_optimizer(optimizer), mode, facts
        self.report: Report | None = None
        self.judge: Callable[[Report], None] = partial(judge_report, mode=mode)
        self._stack = ExitStack()
        self._loop: LoopSource | NoLoop | None = None
        self._entered_in: Any = None
        self._before: Any = None
        self._precision, self._backwards, self._divisor = "fp32", 0, 1.0
        self._cleared_first = self._stepped = self.handed_over = False

    def __enter__(self) -> Self:
        self._entered_in = sys._getframe(1)
        self._stack.enter_context(listen(self._on))
        return self

    def __exit__(self, kind: type | None, *_: Any) -> None:
        self.close()
        if self.report is None and kind is None and not self.handed_over:
            log.warning("diagnose.watch checked nothing: it ended before a second step began")

    def close(self) -> None:
        """Takes every patch and hook off."""
        self._stack.close()
        self._entered_in = None

    def hand_over(self) -> None:
        """Leaves the run to somebody who knows more of it: a Trainer's own callback."""
        self.handed_over = True
        self.close()

    def _on(self, event: str, subject: Any) -> None:
        """One event of the first step; the check comes when that is over."""
        if self._stepped and event in (NEXT, CLEAR if self._cleared_first else CLEARED):
            self.close()
            self._check_or_warn()
        elif event == AUTOCAST and torch.is_grad_enabled():
            self._precision = precision_of_autocast(subject) or self._precision
        elif event == BACKWARD:
            self._backwards += 1
            self._divisor = divisor_of(subject)
            self._loop = self._loop or _loop(self._entered_in)
        elif event == CLEAR:
            self._cleared_first |= not self._backwards
        elif event in (STEP, STEPPED) and self._is_mine(subject):
            self._before = self._before or state_to_put_back(self._model(subject), subject)
            if event == STEPPED and not self._stepped:
                self._stepped = True
                hook = self.wrapper.register_forward_pre_hook(lambda module, args: self._on(NEXT, module))
                self._stack.callback(hook.remove)

    def _is_mine(self, optimizer: Optimizer) -> bool:
        if self.optimizer is None and self._backwards:
            self.optimizer = optimizer
        return optimizer is self.optimizer

    def _model(self, optimizer: Optimizer) -> torch.nn.Module:
        """The model, or the outermost module among the loop's variables that holds what the optimizer moves."""
        if self.wrapper is None:
            self.wrapper = outermost(modules_in(self._loop), optimizer)
        return unwrapped(self.wrapper)

    def _check_or_warn(self) -> None:
        try:
            self.check()
        except InputError as reason:
            if self.mode == "stop":
                raise
            log.warning("diagnose.watch checked nothing: %s", reason.message)

    def check(self) -> Report:
        """Runs the preflight from the state before the first step, and arms the guard."""
        if torch.distributed.is_initialized() and torch.distributed.get_world_size() > 1:
            raise InputError("diagnose.watch checks a run in one process: run diagnose preflight --processes N before")
        model, before = self._model(self.optimizer), self._before
        with restore_afterwards(model, self.optimizer), torch.enable_grad():
            before()
            self.report = look(self._facts(model))
        self.judge(self.report)
        self._stack.enter_context(guarded(self.optimizer, self.mode))
        return self.report

    def _facts(self, model: torch.nn.Module) -> dict[str, Any]:
        facts = {"model": model, "optimizer": self.optimizer, "precision": self._precision}
        if isinstance(self._loop, LoopSource):
            count, clears_last = self._backwards, not self._cleared_first
            divisor = self._divisor if self._divisor == count else 1
            facts |= WatchedLoop(self._loop, model, self.optimizer, self.wrapper, count, divisor, clears_last).facts()
        elif not self.facts.keys() >= {"train_batches", "compute_loss"}:
            raise InputError(f"{self._loop}: pass train_batches= and compute_loss= to diagnose.watch")
        facts |= self.facts
        if isinstance(facts.get("train_batches"), Iterator):
            raise InputError("the loop reads an iterator, which can be read only once: pass train_batches=loader")
        return facts


def _loop(outermost: Any) -> LoopSource | NoLoop:
    try:
        return loop_around(sys._getframe(1), outermost)
    except NoLoop as reason:
        return reason
