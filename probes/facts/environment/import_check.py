"""Imports packages in a child process, where a crash is a result."""

import importlib
import importlib.metadata
import importlib.util
import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from io import StringIO

from probes.facts.environment.types import PackageImport

SCRIPT = f"import json, sys; from {__name__} import try_imports; print(json.dumps(try_imports(sys.argv[1:])))"
SECONDS = 300.0
DISTRIBUTIONS = {"google.protobuf": "protobuf"}  # whose name differs from what is imported
TOO_SLOW = f"it did not finish within {SECONDS:.0f} s"


class ProcessDied(Exception):
    """The process ended before it could tell; by which signal, or with which code."""


def imports(names: tuple[str, ...]) -> tuple[PackageImport, ...]:
    """Each package, tried unless this very process has imported it whole."""
    unknown = tuple(name for name in names if name not in sys.modules and _is_there(name))
    errors = _errors_elsewhere(unknown) if unknown else {}
    return tuple(_package(name, errors) for name in names)


def try_imports(names: Sequence[str]) -> dict[str, str]:
    """Imports them here, one after the other; what each raised, if anything."""
    errors = {}
    for name in names:
        try:
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):  # some greet, some warn
                importlib.import_module(name)
        except BaseException as error:
            errors[name] = f"{type(error).__name__}: {error}"
    return errors


def _package(name: str, errors: dict[str, str]) -> PackageImport:
    if name not in sys.modules and not _is_there(name):
        return PackageImport(name, "", imported=False, error="it is not installed")
    error = errors.get(name, "")
    ended = error if error.startswith("SIG") else ""
    return PackageImport(name, _version(name), imported=not error, error="" if ended else error, ended=ended)


@cache
def _errors_elsewhere(names: tuple[str, ...]) -> dict[str, str]:
    """All in one process; only when that dies, each in one of its own."""
    try:
        return _try_elsewhere(names)
    except ProcessDied as end:
        if len(names) == 1:
            return {names[0]: str(end)}
        return {name: error for single in names for name, error in _errors_elsewhere((single,)).items()}


def _try_elsewhere(names: tuple[str, ...]) -> dict[str, str]:
    """In a fork, which has torch already; in a fresh python where torch is not there or nothing can be forked."""
    if not hasattr(sys.modules.get("torch"), "Tensor"):
        return _in_fresh_python(names)
    from probes.facts.core.fork import CannotFork, ChildRaised, TimedOut, run_in_fork

    try:
        return run_in_fork(lambda: try_imports(names), SECONDS)
    except CannotFork:
        return _in_fresh_python(names)
    except TimedOut as slow:
        raise ProcessDied(TOO_SLOW) from slow
    except ChildRaised as end:
        raise ProcessDied(end.message.rpartition(" with ")[2]) from end


def _in_fresh_python(names: tuple[str, ...]) -> dict[str, str]:
    command = [sys.executable, "-c", SCRIPT, *names]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as slow:
        raise ProcessDied(TOO_SLOW) from slow
    if ran.returncode:
        raise ProcessDied(signal.Signals(-ran.returncode).name if ran.returncode < 0 else f"exit code {ran.returncode}")
    errors: dict[str, str] = json.loads(ran.stdout.splitlines()[-1])
    return errors


def _is_there(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):  # the package around it is not there
        return False


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(DISTRIBUTIONS.get(name, name))
    except importlib.metadata.PackageNotFoundError:
        return ""
