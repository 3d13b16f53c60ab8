"""What a transformers Trainer writes to while it computes."""

from typing import Any


def mutable_state_of(trainer: Any) -> tuple[Any, ...]:
    """Its loss may count and log: what an observer puts back besides model and optimiser. Nothing without a Trainer."""
    return () if trainer is None else (trainer, trainer.state, trainer.control, trainer.accelerator.gradient_state)
