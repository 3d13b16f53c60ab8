"""Runs a command in a child process: whatever ends the child, the exit code is the command's own, or 2.

Code of the run or of a plug-in may call os._exit(0), which no `try` catches: to a CI job that would be a go.
"""

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import NoReturn

from diagnose.common.activity import activity
from diagnose.common.parent_death import die_with
from diagnose.common.printable import printable

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGTSTP, signal.SIGUSR1, signal.SIGUSR2)
REMEDY = "remove what ends it (os._exit, sys.exit, a crash in C code), or uninstall the plug-in, and try again"


def supervise(command: Callable[[], None]) -> NoReturn:
    """Ends this process with the exit code that the command passes to sys.exit, or with 2 and one sentence."""
    activity.share()
    parent, mask = os.getpid(), signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        _run_child(command, parent)
    received = _forward_signals(child)
    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
    status = _wait(child)
    sys.exit(_exit_code(os.waitstatus_to_exitcode(status), received))


def _run_child(command: Callable[[], None], parent: int) -> NoReturn:
    """In a process group of its own: a signal to the parent's group reaches it once, and its workers never."""
    os.setpgid(0, 0)
    die_with(parent)
    activity.own()
    try:
        command()
    except SystemExit as ended:
        activity.exit_code = ended.code if isinstance(ended.code, int) else 2
        raise
    raise AssertionError("a command ends by sys.exit")


def _forward_signals(child: int) -> list[int]:
    """Sends what this process receives to the child; the list of what it was."""
    received: list[int] = []

    def forward(number: int, frame: FrameType | None) -> None:
        received.append(number)
        with suppress(ProcessLookupError):  # it has ended already
            (os.killpg if number == signal.SIGTSTP else os.kill)(child, number)

    for number in FORWARDED:  # also what is ignored here, as in a background job of a script: a run handles it
        signal.signal(number, forward)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # or this process could not take the terminal back
    return received


def _wait(child: int) -> int:
    """The status with which the child ended; a child that is stopped stops this process too, as a shell expects."""
    owns_terminal = False
    while True:
        _, status = os.waitpid(child, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            break
        wants_terminal = os.WSTOPSIG(status) in (signal.SIGTTIN, signal.SIGTTOU)
        if not (wants_terminal and _is_in_foreground()):
            os.kill(os.getpid(), signal.SIGSTOP)
        owns_terminal = (owns_terminal or wants_terminal) and _is_in_foreground()
        if owns_terminal:  # for input() or breakpoint() in the code of the run
            os.tcsetpgrp(0, child)
        os.killpg(child, signal.SIGCONT)
    if owns_terminal:
        os.tcsetpgrp(0, os.getpgrp())
    return status


def _is_in_foreground() -> bool:
    try:
        return os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def _exit_code(ended: int, received: list[int]) -> int:
    """What the command chose; else as the signal would have ended this process; else 2."""
    if activity.exit_code is not None:
        return activity.exit_code
    if -ended in received:
        signal.signal(-ended, signal.SIG_DFL)
        os.kill(os.getpid(), -ended)
    how = f"by {signal.Signals(-ended).name}" if ended < 0 else f"with exit code {ended}"
    killed = " (the system may have run out of memory)" if ended == -signal.SIGKILL else ""
    where = printable(f" while {activity.text}") if activity.text else ""
    print(f"error: the process ended {how}{killed} and without a result{where}; {REMEDY}", file=sys.stderr)
    return 2
