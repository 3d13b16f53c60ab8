"""The devices that torch sees here."""

import torch


def present() -> tuple[str, ...]:
    """By name and number; the CPU is always there, and a driver that does not answer has no devices."""
    try:
        kind = torch.accelerator.current_accelerator(check_available=True)
        count = torch.accelerator.device_count()
    except Exception:
        return ("cpu",)
    return ("cpu", *(f"{kind.type}:{number}" for number in range(count))) if kind else ("cpu",)
