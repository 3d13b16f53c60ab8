"""The values that train init chooses, on machines and corpora given as numbers."""

from dataclasses import replace

import pytest

from trainer.init.choices import DataSummary, settings_for
from trainer.init.machine import Machine, this_machine
from trainer.init.model_choices import choose_model

LAPTOP, SERVER = Machine(2), Machine(16, "a GPU", 40.0, bf16=True)
HOURS = DataSummary(
    rows=20_000, train_rows=16_000, dev_rows=2000, seconds=100_000.0, longest=21.3, longest_text=200,
    longest_bytes=300, characters=1_000_000, task="transcribe", language="en", group="speaker_id",
)  # fmt: skip


def values(data, machine, kind=None, weights="auto"):
    model = choose_model(kind, weights, False, data.characters, data.task, data.language, machine)
    return {key: value for key, (value, _) in settings_for(data, machine, model).items()}


def test_a_gpu_fine_tunes_whisper_and_a_laptop_trains_a_small_hybrid():
    server, laptop = values(HOURS, SERVER), values(HOURS, LAPTOP)
    assert (server["model.name"], server["training.bf16"]) == ("openai/whisper-small", True)
    assert server["dataloader.num_workers"] == 8 and server["training.num_train_epochs"] == 3
    assert (laptop["model.type"], laptop["training.fp16"], laptop["dataloader.num_workers"]) == ("hybrid", False, 0)
    assert "training.bf16" not in laptop and laptop["audio.max_length_seconds"] == 22


def test_an_old_gpu_gets_fp16_for_whisper_only():
    old = replace(SERVER, bf16=False, gpu_gigabytes=6.0)
    assert values(HOURS, old)["training.fp16"] is True and values(HOURS, old)["model.name"] == "openai/whisper-tiny"
    assert values(HOURS, old, "mt5")["training.fp16"] is False


@pytest.mark.parametrize("rows", [3, 48, 500, 16_000])
@pytest.mark.parametrize("machine", [LAPTOP, SERVER], ids=["cpu", "gpu"])
def test_a_run_evaluates_and_saves_before_it_ends(rows, machine):
    data = replace(HOURS, rows=rows + 2, train_rows=rows, seconds=5.0 * (rows + 2))
    chosen = values(data, machine)
    batch = chosen["training.batch_size"] * chosen["training.gradient_accumulation_steps"]
    updates = chosen["training.num_train_epochs"] * -(-rows // batch)
    assert 1 <= chosen["training.eval_steps"] <= updates and chosen["training.batch_size"] <= rows
    assert chosen["training.save_steps"] == chosen["training.eval_steps"]
    assert 1 <= chosen["training.logging_steps"] <= chosen["training.eval_steps"]


def test_long_clips_make_small_batches_and_labels_hold_the_longest_text():
    long = replace(HOURS, rows=100, train_rows=80, seconds=2500.0, longest=29.0)
    assert values(long, LAPTOP)["training.batch_size"] == 1
    assert values(HOURS, LAPTOP)["model.max_label_length"] >= HOURS.longest_text + 2
    assert values(HOURS, LAPTOP, "e2e", "random")["model.max_label_length"] >= HOURS.longest_bytes + 2


def test_few_evaluation_rows_choose_no_best_model():
    assert values(HOURS, LAPTOP)["training.load_best_model_at_end"] is True
    assert values(replace(HOURS, dev_rows=6), LAPTOP)["training.load_best_model_at_end"] is False


def test_this_machine_has_cores():
    assert this_machine().cores >= 1 and str(LAPTOP) == "2 cores, no GPU"
