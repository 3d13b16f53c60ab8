"""Training arguments that faults are written into."""

from typing import Any

from probes.faults.changes import Facts


def with_arguments(facts: Facts, **given: Any) -> Facts:
    """The facts with a dict of transformers' arguments that is sound but for what is given."""
    sound = {"output_dir": "outputs", "max_steps": 100, "save_steps": 25, "learning_rate": 1e-3, "warmup_steps": 10}
    return {**facts, "training_arguments": sound | given}


def argument(facts: Facts, name: str) -> Any:
    return facts.get("training_arguments", {}).get(name)
