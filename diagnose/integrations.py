"""What diagnose offers for the trainers of others, and where it is: it needs torch, so it lies with the probes."""

from typing import Any

from diagnose.engine.discovery import integration

WHERE = {
    "PreflightCallback": ("callback", "callback_class"),
    "collator_properties": ("collator_properties", "collator_properties"),
    "watch": ("watch", "Watch"),
}


def find(name: str) -> Any:
    """The class or function of this name; the frameworks that it needs are imported by now."""
    module, attribute = WHERE[name]
    found = getattr(integration(module), attribute)
    return found() if attribute == "callback_class" else found
