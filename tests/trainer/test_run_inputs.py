"""What a receipt digests of a configuration: all that a check reads or a step depends on, and nothing else."""

import pytest

from diagnose.common.errors import InputError
from trainer.config import load
from trainer.paths import shipped_config
from trainer.run_inputs import receipt_inputs, require_inputs


def digested(*overrides: str) -> dict[str, object]:
    inputs = receipt_inputs(load(shipped_config("demo_hybrid"), list(overrides)))
    return {name: value for name, value in inputs.items() if name in ("config", "seed", "section")}


@pytest.mark.parametrize("override", ["training.logging_steps=7", "output.experiment_name=other"])
def test_what_is_only_logged_or_named_keeps_the_receipt(override):
    assert digested(override) == digested()


@pytest.mark.parametrize("override", ["training.learning_rate=0.5", "training.batch_size=3", "audio.cmvn=false"])
def test_what_a_step_depends_on_does_not(override):
    assert digested(override) != digested()


@pytest.mark.parametrize("key", ["paths.data_root", "output.dir"])
def test_a_file_where_a_folder_is_needed_is_told_by_its_key(tmp_path, key):
    (tmp_path / "file").write_text("not a folder")
    config = load(shipped_config("demo_hybrid"), [f"{key}={tmp_path / 'file'}"]).config
    with pytest.raises(InputError, match=f"{key}: .*file is a file, expected a folder; set {key}"):
        require_inputs(config)
