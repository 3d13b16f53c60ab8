"""What a receipt digests of a configuration: all that a check reads or a step depends on, and nothing else."""

import pytest

from trainer.config import load
from trainer.paths import shipped_config
from trainer.run_inputs import receipt_inputs


def digested(*overrides: str) -> dict[str, object]:
    inputs = receipt_inputs(load(shipped_config("demo_hybrid"), list(overrides)))
    return {name: value for name, value in inputs.items() if name in ("config", "seed", "section")}


@pytest.mark.parametrize("override", ["training.logging_steps=7", "output.experiment_name=other"])
def test_what_is_only_logged_or_named_keeps_the_receipt(override):
    assert digested(override) == digested()


@pytest.mark.parametrize("override", ["training.learning_rate=0.5", "training.batch_size=3", "audio.cmvn=false"])
def test_what_a_step_depends_on_does_not(override):
    assert digested(override) != digested()
