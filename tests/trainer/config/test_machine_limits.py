"""Absurd numbers are refused before anything is built, by bounds of the format and of this machine."""

import os

import pytest

from diagnose.common.errors import InputError
from trainer.config import load
from trainer.config.machine_limits import least_parameters, require_possible
from trainer.paths import shipped_config

DEMO = shipped_config("demo_hybrid")
ABSURD = {
    "training.batch_size": 10**12, "training.gradient_accumulation_steps": 10**12, "training.max_steps": 10**15,
    "training.generation_max_length": 10**12, "training.seed": 10**12, "model.max_label_length": 10**12,
    "model.random.layers": 10**5, "model.random.vocabulary": 10**9, "audio.num_mel_bins": 10**6,
    "audio.sample_rate": 10**9, "dataloader.prefetch_factor": 10**9,
}  # fmt: skip


@pytest.mark.parametrize("key", ABSURD)
def test_an_absurd_number_is_one_sentence(key):
    with pytest.raises(InputError) as refused:
        load(DEMO, [f"{key}={ABSURD[key]}"])
    assert f"{key} is {ABSURD[key]}; expected " in refused.value.message and "at most" in refused.value.message


def test_more_workers_than_the_machine_can_run_are_refused():
    most = 8 * (os.cpu_count() or 1)
    require_possible(load(DEMO, [f"dataloader.num_workers={most}"]))
    with pytest.raises(InputError, match=f"dataloader.num_workers is {most + 1}; expected at most {most}, 8 per"):
        require_possible(load(DEMO, [f"dataloader.num_workers={most + 1}"]))


def test_a_model_beyond_memory_is_refused_before_it_is_built():
    wide = load(DEMO, ["model.random.hidden=65536", "model.random.ffn=1048576", "model.random.layers=1000"])
    with pytest.raises(InputError, match="makes a model that is too large: the weights alone need"):
        require_possible(wide)


def test_the_bound_is_below_what_a_model_has(tmp_path):
    from tests.support.small_runs import trainer

    run = trainer("hybrid", tmp_path)
    assert 0 < least_parameters(run.config) <= sum(value.numel() for value in run.model.parameters())
