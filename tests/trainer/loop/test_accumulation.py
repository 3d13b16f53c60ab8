"""One accumulated step equals one batch: the same gradient and the same logged loss, whatever the lengths."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import TrainerCallback

from tests.support.small_runs import ARCHITECTURES, ROOT, trainer
from trainer.loop.loss import LossTracker, TargetCounts, combine_terms, count, total, weighted_terms

pytestmark = pytest.mark.slow  # whole runs


class Gradients(TrainerCallback):
    """Keeps the gradient each step ends with."""

    def __init__(self) -> None:
        self.steps: list[dict[str, torch.Tensor]] = []

    def on_pre_optimizer_step(self, args, state, control, model=None, **_: Any) -> None:
        self.steps.append({n: p.grad.clone() for n, p in model.named_parameters() if p.grad is not None})


def one_step(architecture: str, directory: Path, blank: tuple[int, ...] = (), **settings: Any):
    """The gradient and the log of one optimizer step over the same eight rows."""
    run = trainer(architecture, directory, rows=8, max_steps=1, max_grad_norm=1e9, shuffle=False, **settings)
    watch = Gradients()
    run.add_callback(watch)
    if blank:
        run.data_collator = blanking(run.data_collator, set(blank))
    run.train()
    return watch.steps[0], run.state.log_history[0], run


def blanking(collate, blank: set[int]):
    """A collator that leaves nothing to score in some rows."""

    def collated(items):
        batch = dict(collate(items))
        number = [int(item["id"].split(":")[1]) for item in items]
        for name in {"labels", "toks", "ctc_labels"} & set(batch):
            rows = [place for place in range(len(batch[name])) if number[place % len(number)] in blank]
            batch[name][rows] = -100
        return batch

    return collated


def distance(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> float:
    assert one.keys() == other.keys()
    norm = sum(float(value.pow(2).sum()) for value in one.values()) ** 0.5
    return sum(float((one[name] - other[name]).pow(2).sum()) for name in one) ** 0.5 / norm


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_an_accumulated_step_is_one_batch(architecture: str, tmp_path: Path) -> None:
    whole, whole_log, _ = one_step(architecture, tmp_path / "one", batch_size=8)
    parts, parts_log, _ = one_step(architecture, tmp_path / "four", batch_size=2, gradient_accumulation_steps=4)
    assert distance(whole, parts) < 2e-5
    for name in {"loss", "att_loss", "ctc_loss"} & set(whole_log):
        assert parts_log[name] == pytest.approx(whole_log[name], rel=1e-5), name


def test_the_group_norm_of_wav2vec2_too_when_clips_are_equally_long(tmp_path: Path, monkeypatch) -> None:
    """Its first layer sees padding, whatever the loop does; the labels are still of unequal length."""
    monkeypatch.setattr("tests.support.small_runs.NORM", {"conv_norm": "group"})
    monkeypatch.setattr("tests.support.small_runs.ToneSet.lengths", lambda self: [1.0] * self.rows)
    test_an_accumulated_step_is_one_batch("e2e+ctc", tmp_path)


@pytest.mark.parametrize("architecture", ["hybrid", "mt5"])
def test_a_mean_of_means_would_be_seen(architecture: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are unequal enough for the test above to fail on a trainer that weighs micro-batches alike."""
    whole, _, _ = one_step(architecture, tmp_path / "one", batch_size=8)
    monkeypatch.setattr("trainer.loop.accumulation.count", lambda bundle, batch: TargetCounts(7, 7))
    alike, _, _ = one_step(architecture, tmp_path / "alike", batch_size=2, gradient_accumulation_steps=4)
    assert distance(whole, alike) > 1e-2


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_batches_with_nothing_to_score_change_nothing(architecture: str, tmp_path: Path) -> None:
    """Four of eight micro-batches are blank: the step is that of the others, and the blank ones are counted."""
    blank = {"blank": (0, 1, 2, 3), "batch_size": 1, "gradient_accumulation_steps": 8}
    parts, parts_log, run = one_step(architecture, tmp_path / "parts", **blank)
    whole, whole_log, _ = one_step(architecture, tmp_path / "whole", blank=(0, 1, 2, 3), batch_size=8)
    assert run.loss_tracker.skipped == 4
    assert parts_log["skipped_batches"] == 4
    assert distance(whole, parts) < 2e-5
    assert parts_log["loss"] == pytest.approx(whole_log["loss"], rel=1e-5)


@pytest.mark.parametrize("architecture", ["hybrid", "mt5"])
def test_a_step_with_nothing_to_score_moves_nothing_and_has_no_loss(architecture: str, tmp_path: Path) -> None:
    run = trainer(architecture, tmp_path, rows=4, max_steps=2, batch_size=2, weight_decay=0.1, logging_steps=1)
    run.data_collator = blanking(run.data_collator, {0, 1, 2, 3})
    before = {name: value.clone() for name, value in run.model.state_dict().items()}
    run.train()
    assert all(torch.equal(before[name], value) for name, value in run.model.state_dict().items())
    assert run.loss_tracker.skipped == 2
    assert all("loss" not in line for line in run.state.log_history)


def test_empty_steps_do_not_pull_the_logged_mean_down(tmp_path: Path) -> None:
    """Half of the steps are empty; the line's loss is that of the other half. The first ten have each a line."""
    settings = {"rows": 4, "batch_size": 2, "max_steps": 12, "shuffle": False, "learning_rate": 1e-9}
    run = trainer("mt5", tmp_path / "a", logging_steps=12, **settings)
    blank = set(next(iter(run.get_train_dataloader().batch_sampler)))
    run.data_collator = blanking(run.data_collator, blank)
    run.train()
    plain = trainer("mt5", tmp_path / "b", logging_steps=1, **settings)
    plain.train()
    (mean,), (own,) = (
        [line["loss"] for line in one.state.log_history if line["step"] == 12 and "loss" in line]
        for one in (run, plain)
    )
    assert mean == pytest.approx(own, rel=1e-4)


def test_the_hybrid_counts_tokens_and_transcribed_rows(tmp_path: Path) -> None:
    run = trainer("hybrid", tmp_path)
    batch = run.data_collator([run.train_dataset[index] for index in range(3)])
    counts = count(run.bundle, batch)
    assert counts == TargetCounts(int((batch["toks"] != -100).sum()), 3)  # six rows, three of them transcripts
    assert total([counts, TargetCounts(1, 1)]) == TargetCounts(counts.tokens + 1, 4)


@pytest.mark.parametrize("architecture", ["hybrid", "whisper+ctc"])
def test_terms_are_weighed_by_tokens_and_rows(architecture: str, tmp_path: Path) -> None:
    run = trainer(architecture, tmp_path)
    batch = run.data_collator([run.train_dataset[index] for index in range(3)])
    output = run.model(**batch)
    terms = weighted_terms(output, TargetCounts(10, 1), TargetCounts(40, 4))
    assert terms["att"].item() == pytest.approx(output.att_loss.item() / 4)
    assert terms["ctc"].item() == pytest.approx(output.ctc_loss.item() / 4)
    weight = run.model.config.ctc_weight
    together = weight * terms["ctc"] + (1 - weight) * terms["att"]
    assert combine_terms(terms, output, weight).item() == pytest.approx(together.item())


def test_the_book_survives_a_checkpoint_to_the_last_bit() -> None:
    tracker, again = LossTracker(), LossTracker()
    for value in (0.1, 1e-7, 3.3333333):
        tracker.begin_step(TargetCounts(3, 1), empty=False, ctc_only=False)
        tracker.add({"att": torch.tensor(value), "ctc": torch.tensor(value / 3)})
    again.restore(json.loads(json.dumps(tracker.state())), torch.device("cpu"))
    assert again.log_values(lambda numbers: numbers) == tracker.log_values(lambda numbers: numbers)


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ["hybrid", "mt5"])
def test_two_processes_make_the_same_step(architecture: str, tmp_path: Path) -> None:
    whole, whole_log, _ = one_step(architecture, tmp_path / "one", batch_size=8)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    child = [str(Path(__file__)), architecture, str(tmp_path)]
    done = subprocess.run([*command, *child], cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr[-3000:]
    spread = torch.load(tmp_path / "gradients.pt", weights_only=True)
    assert distance(whole, spread) < 2e-5
    assert json.loads((tmp_path / "log.json").read_text())["loss"] == pytest.approx(whole_log["loss"], rel=1e-5)


def one_of_two_processes(architecture: str, directory: Path) -> None:
    gradients, log, run = one_step(architecture, directory / "two", batch_size=2, gradient_accumulation_steps=2)
    if run.is_world_process_zero():
        torch.save(gradients, directory / "gradients.pt")
        (directory / "log.json").write_text(json.dumps(log))


if __name__ == "__main__":
    one_of_two_processes(sys.argv[1], Path(sys.argv[2]))
