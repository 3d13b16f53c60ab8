"""Whose code a class is."""

import sys

INSTALLED = ("site-packages", "dist-packages")


def library_of(kind: type) -> str:
    """The package that a class was installed with; "" for the user's own code, and for torch: models are made of it."""
    package = kind.__module__.partition(".")[0]
    path = getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    return package if package != "torch" and any(part in path for part in INSTALLED) else ""
