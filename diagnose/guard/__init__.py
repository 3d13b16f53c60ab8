"""The guard of a running loop; `diagnose.Guard` is this one."""

from diagnose.guard.guard import Guard

__all__ = ["Guard"]
