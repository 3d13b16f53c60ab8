"""Decides whether a training run may start: facts, probes, findings, verdict."""

from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.decorators import Fault, Probe, fault, probe
from diagnose.engine.types import Finding, Findings, Outcome, Severity, Stage, Status, Verdict
from diagnose.version import __version__

if TYPE_CHECKING:
    from diagnose.api import memory, nan_bisect, precision, preflight
    from diagnose.engine.report import PreflightFailed, Report, Stopped
    from diagnose.guard import Guard
    from diagnose.tensor_values import debug_tensor

__all__ = [
    "Fault", "Finding", "Findings", "Guard", "Outcome", "PreflightCallback", "PreflightFailed", "Probe", "Report",
    "Severity", "Stage", "Status", "Stopped", "Verdict", "__version__", "collator_properties", "debug_tensor", "fault",
    "memory", "nan_bisect", "precision", "preflight", "probe", "provider", "watch",
]  # fmt: skip

_LATER = {
    "Guard": "diagnose.guard",
    "debug_tensor": "diagnose.tensor_values",
    "memory": "diagnose.api",
    "nan_bisect": "diagnose.api",
    "precision": "diagnose.api",
    "preflight": "diagnose.api",
    "Stopped": "diagnose.engine.report",
    "PreflightFailed": "diagnose.engine.report",
    "Report": "diagnose.engine.report",
}

_OF_TRAINERS = ("PreflightCallback", "collator_properties", "watch")


def __getattr__(name: str) -> Any:
    """The engine is imported when it is first used: a probe that only needs Finding does not pay for it."""
    from importlib import import_module

    if name in _OF_TRAINERS:
        return import_module("diagnose.integrations").find(name)
    if name not in _LATER:
        raise AttributeError(f"module 'diagnose' has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
