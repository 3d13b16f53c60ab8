"""Imports packages in a process of their own: a package that crashes python is a result there, and the end here."""

import importlib.metadata
import importlib.util
import signal
import subprocess
import sys
from functools import cache

from probes.measured.data import Package

SCRIPT = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
    print(name, flush=True)
"""
SECONDS = 300.0


def imports(names: tuple[str, ...]) -> tuple[Package, ...]:
    """Each package, tried unless this very process has imported it whole."""
    unknown = tuple(name for name in names if name not in sys.modules and importlib.util.find_spec(name))
    tried = {package.name: package for package in _tried(unknown)}
    return tuple(tried.get(name) or _known(name) for name in names)


def _known(name: str) -> Package:
    if name in sys.modules:
        return Package(name, _version(name), imported=True)
    return Package(name, "", imported=False, error="it is not installed")


@cache
def _tried(names: tuple[str, ...]) -> tuple[Package, ...]:
    """All in one process; the first that breaks it is noted, and the rest go into a new one."""
    if not names:
        return ()
    code, printed, errors = _run(names)
    done = [name for name in names if name in printed]
    good = tuple(Package(name, _version(name), imported=True) for name in done)
    if len(done) == len(names):
        return good
    broken = names[len(done)]
    ended = signal.Signals(-code).name if code < 0 else ""
    reason = errors.strip().splitlines()[-1] if errors.strip() else f"exit code {code}"
    bad = Package(broken, _version(broken), imported=False, error=reason, ended=ended)
    return (*good, bad, *_tried(names[len(done) + 1 :]))


def _run(names: tuple[str, ...]) -> tuple[int, set[str], str]:
    try:
        result = subprocess.run(
            [sys.executable, "-c", SCRIPT, *names], capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired as slow:
        printed = slow.stdout.decode() if isinstance(slow.stdout, bytes) else slow.stdout or ""
        return 1, set(printed.split()), f"it did not finish within {SECONDS:.0f} s"
    return result.returncode, set(result.stdout.split()), result.stderr


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""
