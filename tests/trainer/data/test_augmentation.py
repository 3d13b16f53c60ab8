"""Augmentation: what a row gets depends on seed, epoch and row alone; other sets get none; a resumed run goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from transformers import TrainerCallback

from diagnose.cli import main
from diagnose.common.errors import InputError
from diagnose.engine.engine import installed
from tests.support.small_runs import write_run
from trainer.collate.masking import FeatureMasking
from trainer.config import load
from trainer.config.augmentation_section import Augmentation
from trainer.data.augmentation import WaveformAugmentation
from trainer.data.open_split import open_split
from trainer.loop.run import build_trainer
from trainer.models.bundle import build, load_bundle

ALL = (
    *("augmentation.speed_factors=[0.8, 1.0, 1.25]", "augmentation.noise_snr_db=[5, 20]"),
    *("augmentation.time_masks=2", "augmentation.frequency_masks=2"),
)


def audio(**settings: Any) -> WaveformAugmentation:
    return WaveformAugmentation(Augmentation(**settings), 16_000, 2.0)


def test_a_clip_is_played_at_one_of_the_speeds_and_none_gets_longer_than_the_limit() -> None:
    tone = torch.sin(torch.arange(16_000) * 0.1)
    lengths = {len(audio(speed_factors=(0.5, 1.0, 2.0))(tone, seed)) for seed in range(20)}
    assert lengths == {8_000, 16_000, 32_000}
    assert {len(audio(speed_factors=(0.5,))(tone.repeat(2)[:17_000], seed)) for seed in range(3)} == {17_000}


def test_noise_has_the_ratio_asked_for_in_its_share_of_the_clips() -> None:
    tone = torch.sin(torch.arange(16_000) * 0.1)
    noisy = [audio(noise_snr_db=(10, 20), noise_share=0.5)(tone, seed) - tone for seed in range(60)]
    ratios = [float(10 * torch.log10(tone.square().sum() / one.square().sum())) for one in noisy if one.any()]
    assert min(ratios) >= 9.99 and max(ratios) <= 20.01 and max(ratios) - min(ratios) > 5
    assert 15 <= len(ratios) <= 45  # 30 of 60 expected; further off in 1 of 10,000
    assert not audio(noise_snr_db=(10, 20), noise_share=1.0)(torch.zeros(100), 0).isnan().any()


def test_masks_are_as_wide_as_they_may_be_and_rows_without_a_seed_have_none() -> None:
    masking = FeatureMasking(Augmentation(time_masks=1, time_mask_frames=10, frequency_masks=1, frequency_mask_bins=4))
    features = torch.randn(80, 200)
    assert masking(features, {}) is features
    for seed in range(20):
        changed = masking(features, {"augmentation_seed": seed}) != features
        frames, bins = (changed.float().mean(dim) == 1 for dim in (0, 1))
        assert frames.sum() <= 10 and bins.sum() <= 4 and not changed[~bins][:, ~frames].any()


def test_rows_depend_on_seed_epoch_and_row_and_no_generator_moves(tmp_path: Path) -> None:
    config = load(write_run(tmp_path), ALL).config
    data, state = open_split(config, "train"), torch.get_rng_state()
    first = [data[number]["audio"] for number in range(8)]
    assert all(torch.equal(data[number]["audio"], one) for number, one in enumerate(first))
    data.set_epoch(1)
    assert any(data[number]["audio"].shape != one.shape for number, one in enumerate(first))
    assert torch.equal(torch.get_rng_state(), state)
    assert "augmentation_seed" not in open_split(config, "dev")[0]
    plain = data.without_augmentation()
    assert plain.without_augmentation() is None
    assert torch.equal(plain[3]["audio"], open_split(load(tmp_path / "run.yaml").config, "train")[3]["audio"])


class CutOff(TrainerCallback):
    class Gone(BaseException):
        pass

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step == 11:
            raise CutOff.Gone


@pytest.mark.parametrize(("architecture", "workers"), [("hybrid", 0), ("whisper", 2)])
def test_a_run_that_is_cut_off_and_resumed_is_bit_identical(tmp_path: Path, architecture: str, workers: int) -> None:
    """Twelve rows in twos: the cut is in the second epoch, and the run ends in the third."""

    def run(folder: str, checkpoint: Path | None = None, *more: TrainerCallback) -> Any:
        settings = (*ALL, f"output.dir={tmp_path / folder}", f"dataloader.num_workers={workers}")
        resolved = load(tmp_path / "run.yaml", settings)
        data = open_split(resolved.config, "train")
        bundle = load_bundle(checkpoint, resolved.config) if checkpoint else build(resolved.config, data.texts())
        trainer = build_trainer(resolved, bundle, data, None)
        for callback in more:
            trainer.add_callback(callback)
        trainer.train(resume_from_checkpoint=str(checkpoint) if checkpoint else None)
        return trainer

    write_run(tmp_path, architecture, max_steps=14, save_strategy="steps", save_steps=9)
    straight = run("straight")
    with pytest.raises(CutOff.Gone):
        run("cut", None, CutOff())
    again = run("cut", tmp_path / "cut" / "checkpoint-9")
    losses = [[row["loss"] for row in one.state.log_history if "loss" in row] for one in (straight, again)]
    assert losses[0] == losses[1] and len(set(losses[0])) == 14
    ours, theirs = straight.model.state_dict(), again.model.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    assert run("plain").state.log_history[0]["loss"] == losses[0][0]


@pytest.mark.parametrize(
    ("architecture", "settings", "message"),
    [
        ("mt5", ["augmentation.speed_factors=[0.9]"], "changes audio, but mt5 uses text"),
        ("e2e", ["augmentation.time_masks=1"], "masks log-mel features, which e2e does not have"),
        ("hybrid", ["augmentation.noise_snr_db=[30, 10]"], "write the lower number first"),
        ("hybrid", ["augmentation.speed_factors=[0]"], "augmentation.speed_factors"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, architecture: str, settings: list[str], message: str) -> None:
    path = write_run(tmp_path, architecture)
    with pytest.raises(InputError, match=message.replace("[", r"\[")):
        load(path, settings)


def test_clips_that_are_played_faster_are_not_taken_for_truncated_ones(tmp_path: Path) -> None:
    config = load(write_run(tmp_path), ["augmentation.speed_factors=[2.0]"])
    context = installed().context({"config": config})
    lengths = [item.wave.seconds for item in context.get("train_items").rows]
    files = open_split(load(tmp_path / "run.yaml").config, "train")
    assert sorted(lengths) == pytest.approx(sorted(len(files[n]["audio"]) / 16_000 for n in range(len(files))))


def test_samples_are_shown_before_and_after(tmp_path: Path) -> None:
    path = write_run(tmp_path)
    page = tmp_path / "page.html"
    values = (word for one in ALL for word in ("--set", one))
    words = ["samples", "--config", str(path), "-n", "2", "--html", str(page), *values]
    told = CliRunner().invoke(main, words)
    assert told.exit_code == 0, told.output
    assert "without augmentation, audio: " in told.stdout and "without augmentation, feats: " in told.stdout
    assert "changes what the model gets" in told.stdout
    text = page.read_text(encoding="utf-8")
    assert text.count("<audio") == 4 and text.count("<figcaption>without augmentation: feats") == 2
