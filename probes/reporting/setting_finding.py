"""Findings about settings, each at the file and line that decided it."""

from diagnose import Finding, Severity
from diagnose.engine.types import Number
from probes.facts.settings.types import SettingLocation


def setting_finding(
    place: SettingLocation, message: str, fix: str, severity: Severity | None = None, **measured: Number
) -> Finding:
    """A finding that points at the setting; None is the probe's severity."""
    return Finding(str(place), message, fix, measured, severity, place.file, place.line)
