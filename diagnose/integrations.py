"""What diagnose offers for the trainers of others, and where it is: it needs torch, so it lies with the probes."""

from typing import Any

from diagnose.engine.discovery import integration

WHERE = {
    "PreflightCallback": ("callback", "PreflightCallback"),
    "collator_properties": ("collator_properties", "collator_properties"),
    "watch": ("watch", "Watch"),
}


def find(name: str) -> Any:
    """The class or function of this name."""
    module, attribute = WHERE[name]
    return getattr(integration(module), attribute)
