"""Decides whether a training run may start: facts, probes, findings, verdict."""

from diagnose.marks import Fault, Probe, fault, probe
from diagnose.nouns import Finding, Severity, Stage
from diagnose.version import __version__

__all__ = ["Fault", "Finding", "Probe", "Severity", "Stage", "__version__", "fault", "probe"]
