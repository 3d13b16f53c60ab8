"""Models without weights and their batches, a batch size that is chosen, and what is said when memory runs out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from diagnose import api
from diagnose.cli import main
from diagnose.common.errors import InputError
from tests.support.small_runs import write_run
from trainer.config import load
from trainer.facts_without_weights import facts_without_weights, sizes_and_shapes
from trainer.loop.runtime.out_of_memory import OutOfMemory
from trainer.models.bare import bare_model
from trainer.paths import find_config
from trainer.predicted_memory import duration_lines, first_change_named, with_auto_batch_size

# As the model cards say, in millions; of mBART the decoder, which holds the shared embedding.
PUBLISHED = {"openai/whisper-tiny": 38, "openai/whisper-medium": 764, "openai/whisper-large-v3": 1543}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_model_without_weights_has_the_published_size(name: str) -> None:
    model = bare_model(load(find_config("dev_whisper"), [f"model.name={name}"]).config)
    assert round(sum(one.numel() for one in model.parameters()) / 1e6) == PUBLISHED[name]
    assert all(one.is_meta for one in model.parameters())


def test_unknown_weights_are_refused_with_their_key() -> None:
    with pytest.raises(InputError, match=r"^model.name: the sizes of owner/unknown are not known here"):
        bare_model(load(find_config("dev_whisper"), ["model.name=owner/unknown"]).config)


def test_the_shipped_configuration_is_predicted_without_network(tmp_path: Path) -> None:
    path = tmp_path / "memory.json"
    arguments = ["memory", "--config", "dev_whisper", "--device-memory", "4GB", "--device", "T4", "--json", str(path)]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    content = json.loads(path.read_text())
    assert content["verdict"] == "FITS" and content["peak"] < 4e9
    assert "training.gradient_checkpointing true" in {change["setting"] for change in content["changes"]}
    assert "duration: " in done.output and "T4 at 5% to 50%" in done.output


def test_a_device_that_is_too_small_is_an_exit_code() -> None:
    done = CliRunner().invoke(main, ["memory", "--config", "dev_whisper", "--device-memory", "1GB"])
    assert done.exit_code == 1 and "DOES NOT FIT" in done.output
    wrong = CliRunner().invoke(main, ["memory", "--config", "dev_whisper", "--device-memory", "much"])
    assert wrong.exit_code == 2 and "expected a size such as 4GB" in wrong.output


@pytest.mark.parametrize(("most", "chosen"), [(1, 1), (5, 4), (64, 64), (1000, 64)])
def test_the_largest_batch_that_fits_is_chosen(most: int, chosen: int) -> None:
    resolved = load(find_config("dev_whisper"), ["training.batch_size=auto"])
    assert resolved.config.training.auto_batch_size
    found = with_auto_batch_size(resolved, lambda facts: len(facts["train_batches"][0]["labels"]) <= 2 * most)
    assert (found.config.training.batch_size, found.config.training.auto_batch_size) == (chosen, False)


def test_no_batch_fits() -> None:
    with pytest.raises(InputError, match="not even a batch of 1 is predicted to fit"):
        with_auto_batch_size(load(find_config("dev_whisper"), ["training.batch_size=auto"]), lambda facts: False)


def test_the_sentence_of_a_run_names_what_is_ranked_first(tmp_path: Path) -> None:
    resolved = load(write_run(tmp_path, "mt5"))
    first = api.memory(**sizes_and_shapes(resolved)).changes[0].setting
    with pytest.raises(OutOfMemory, match=r"^out of memory; ") as raised, first_change_named(resolved, api):
        raise OutOfMemory("out of memory")
    assert raised.value.message.endswith(f"ranks first: {first}")


def test_a_dry_run_says_how_long(tmp_path: Path) -> None:
    resolved = load(write_run(tmp_path, "hybrid"))
    assert "config" in facts_without_weights(resolved), "its model is small and its data is here"
    (line,) = duration_lines(resolved, api)
    assert line.startswith("duration: ") and "GFLOPS" in line
