"""A run that is cut off and resumed ends as the run that was not: every loss, weight and random number."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import TrainerCallback

from diagnose.common.errors import InputError
from tests.support.small_runs import ARCHITECTURES, config, resumed, trainer
from trainer.loop.checkpoints.resume import newest, require_same_run, resume_point, warn_of_changes
from trainer.loop.checkpoints.store import checkpoints, verify

pytestmark = pytest.mark.slow  # whole runs

TIMES = ("runtime", "per_second")
SLOW = pytest.mark.slow


class CutOff(TrainerCallback):
    """The process is gone at the beginning of a step, without a word to anyone."""

    class Gone(BaseException):
        pass

    def __init__(self, step: int) -> None:
        self.step = step

    def on_step_begin(self, args, state, control, **_: Any) -> None:
        if state.global_step == self.step:
            raise CutOff.Gone


def cut_off(step: int, architecture: str, directory: Path, **settings: Any) -> None:
    run = trainer(architecture, directory, **settings)
    run.add_callback(CutOff(step))
    with pytest.raises(CutOff.Gone):
        run.train()


def history(run: Any) -> list[dict[str, Any]]:
    """All figures that do not tell the time."""
    return [{k: v for k, v in line.items() if not k.endswith(TIMES)} for line in run.state.log_history]


def chances() -> tuple[Any, ...]:
    return random.random(), float(np.random.rand()), float(torch.rand(()))


def assert_same(architecture: str, directory: Path, cut_at: int, **settings: Any) -> tuple[Any, Any]:
    """Straight through, and cut off at a step: compared to the last bit."""
    settings = {"save_strategy": "steps", "save_steps": 3, "dropout": 0.2, **settings}
    straight = trainer(architecture, directory / "straight", **settings)
    straight.train()
    luck = chances()
    cut_off(cut_at, architecture, directory / "cut", **settings)
    again = resumed(architecture, directory / "cut", **settings)
    assert chances() == luck
    assert history(again) == history(straight)
    ours, theirs = straight.model.state_dict(), again.model.state_dict()
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    assert again.optimizer.state_dict()["state"].keys() == straight.optimizer.state_dict()["state"].keys()
    return straight, again


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_in_the_midst_of_a_shuffled_epoch_with_accumulation(architecture: str, tmp_path: Path) -> None:
    straight, again = assert_same(
        architecture, tmp_path, cut_at=4, max_steps=6, rows=14, gradient_accumulation_steps=2, batch_size=2
    )
    assert len({line["loss"] for line in history(straight) if "loss" in line}) == 6
    assert again.state.log_history[0]["step"] == 1


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({"rows": 6, "cut_at": 3}, id="at an epoch's end"),
        pytest.param({"rows": 6, "cut_at": 13, "max_steps": 16, "logging_steps": 5}, id="in the midst of a log line"),
        pytest.param({"rows": 14, "cut_at": 5, "num_workers": 2}, id="with workers", marks=SLOW),
        pytest.param(
            {"architecture": "whisper+ctc", "cut_at": 4, "ctc_only_steps": 2},
            id="after the phase of CTC alone",
            marks=SLOW,
        ),
        pytest.param({"cut_at": 4, "ctc_only_steps": 5}, id="in the phase of CTC alone"),
        pytest.param(
            {"rows": 6, "cut_at": 5, "max_steps": 9, "freeze_encoder": True, "freeze_encoder_epochs": 1},
            id="after the encoder's thaw",
        ),
        pytest.param(
            {"rows": 6, "cut_at": 8, "max_steps": 12, "freeze_encoder": True, "freeze_encoder_epochs": 3},
            id="before the encoder's thaw",
            marks=SLOW,
        ),
        # torch's bf16 kernels on a CPU round by where memory lies: two runs without a cut differ now and then
        pytest.param({"cut_at": 5, "bf16": True}, id="in bf16", marks=pytest.mark.bench),
        pytest.param(
            {"architecture": "whisper", "cut_at": 4, "gradient_checkpointing": True},
            id="with recomputation",
            marks=SLOW,
        ),
        pytest.param(
            {"cut_at": 4, "eval_rows": 4, "eval_strategy": "steps", "eval_steps": 2}, id="with evaluations", marks=SLOW
        ),
        pytest.param(
            {"rows": 6, "cut_at": 3, "eval_rows": 4, "eval_strategy": "epoch"},
            id="evaluated where an epoch ends",
            marks=SLOW,
        ),
        pytest.param(
            {"rows": 6, "cut_at": 5, "eval_rows": 4, "eval_strategy": "epoch", "save_strategy": "epoch"},
            id="saved where an epoch ends",
            marks=SLOW,
        ),
    ],
)
def test_wherever_it_is_cut(settings: dict[str, Any], tmp_path: Path) -> None:
    assert_same(**{"architecture": "hybrid", "max_steps": 8, **settings}, directory=tmp_path)


BEST = {
    "eval_rows": 4,
    "eval_strategy": "steps",
    "eval_steps": 1,
    "save_steps": 1,
    "save_total_limit": 2,
    "load_best_model_at_end": True,
    "learning_rate": 0.5,  # so much that the first evaluations are the best
    "max_steps": 12,
    "early_stopping_patience": 3,
    "predict_with_generate": False,
}


@pytest.mark.slow
def test_the_best_model_and_the_patience_are_kept(tmp_path: Path) -> None:
    straight, again = assert_same("mt5", tmp_path, cut_at=3, **BEST)
    assert straight.state.global_step < 12  # it stopped early
    assert again.state.best_global_step == straight.state.best_global_step
    assert verify(Path(again.state.best_model_checkpoint)) is None


def test_a_run_that_stopped_early_stays_stopped(tmp_path: Path) -> None:
    settings = {**BEST, "save_strategy": "steps"}
    straight = trainer("mt5", tmp_path, **settings)
    straight.train()
    again = resumed("mt5", tmp_path, **settings)
    assert again.state.global_step == straight.state.global_step


def test_a_finished_run_makes_no_further_step(tmp_path: Path) -> None:
    """The last step is in the midst of an epoch, where the stock loop would go on for one more."""
    settings = {"rows": 10, "max_steps": 7, "save_strategy": "steps", "save_steps": 7}
    straight = trainer("mt5", tmp_path, **settings)
    straight.train()
    again = resumed("mt5", tmp_path, **settings)
    assert again.state.global_step == 7
    assert all(
        torch.equal(value, again.model.state_dict()[name]) for name, value in straight.model.state_dict().items()
    )


def test_a_run_that_moved_still_knows_its_best(tmp_path: Path) -> None:
    settings = {**BEST, "save_strategy": "steps", "early_stopping_patience": None}
    cut_off(5, "mt5", tmp_path / "here", **settings)
    shutil.move(tmp_path / "here", tmp_path / "there")
    again = resumed("mt5", tmp_path / "there", **settings)
    assert Path(again.state.best_model_checkpoint).parent == tmp_path / "there"


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with three checkpoints."""
    directory = tmp_path_factory.mktemp("saved")
    trainer("mt5", directory, max_steps=3, save_strategy="steps", save_steps=1).train()
    return directory


@pytest.fixture
def run(saved: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(saved, tmp_path / "run"))


def spoil(path: Path, how: str) -> None:
    content = bytearray(path.read_bytes())
    if how == "cut":
        path.write_bytes(content[: len(content) // 2])
    elif how == "gone":
        path.unlink()
    else:
        content[len(content) // 2] ^= 1
        path.write_bytes(content)


@pytest.mark.parametrize("how", ["cut", "gone", "flipped"])
@pytest.mark.parametrize(
    "name", ["model.safetensors", "optimizer.pt", "rng_state.pth", "trainer_state.json", "digests.json"]
)
def test_auto_passes_over_what_is_spoilt_and_says_why(run: Path, name: str, how: str, caplog) -> None:
    caplog.set_level("INFO", "trainer")
    spoil(run / "checkpoint-3" / name, how)
    flipped_digest = (name, how) == ("digests.json", "flipped")
    assert newest(run) == run / "checkpoint-2"
    [told] = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert told.startswith(f"skipping {run / 'checkpoint-3'}: ")
    assert name in told or flipped_digest  # then the file whose digest was hit is named
    with pytest.raises(InputError, match="pass a complete checkpoint, or use --resume auto") as refused:
        resume_point(str(run / "checkpoint-3"), run)
    assert "\n" not in refused.value.message


def test_auto_starts_at_the_beginning_when_nothing_is_whole(run: Path, caplog) -> None:
    caplog.set_level("INFO", "trainer")
    for checkpoint in checkpoints(run):
        (checkpoint / "digests.json").unlink()
    assert resume_point("auto", run) is None
    assert caplog.records[-1].getMessage().endswith("starting at the beginning")


@pytest.mark.parametrize(
    ("place", "words"), [("", "it contains checkpoints but is not a checkpoint"), ("nowhere", "it does not exist")]
)
def test_a_directory_that_is_no_checkpoint_is_refused(run: Path, place: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        resume_point(str(run / place), run)


def test_a_checkpoint_of_another_model_is_refused(run: Path) -> None:
    with pytest.raises(InputError, match=r"to another run: model\.type was mt5 and is whisper now; resume with"):
        require_same_run(run / "checkpoint-3", config("whisper", run))


def test_other_settings_are_told_and_allowed(run: Path, caplog) -> None:
    require_same_run(run / "checkpoint-3", config("mt5", run, batch_size=4, save_steps=50))
    told = [record.getMessage() for record in caplog.records]
    assert any(line.startswith("training.batch_size was 2 and is 4 now") for line in told)
    assert not any("save_steps" in line for line in told)


def test_another_number_of_rows_is_told_and_allowed(run: Path, caplog) -> None:
    warn_of_changes(run / "checkpoint-3", {"rows": 12, "processes": 1})
    [told] = [record.getMessage() for record in caplog.records]
    assert told == "there were 10 rows and are 12 now, so the resumed run is not bit-identical"


def test_a_checkpoint_of_another_version_is_refused(run: Path) -> None:
    (run / "checkpoint-3" / "loop_state.json").write_text('{"format": 0}')
    with pytest.raises(InputError, match="written by another version of this trainer"):
        warn_of_changes(run / "checkpoint-3", {})


def test_weights_of_another_model_are_refused(run: Path) -> None:
    """The digests are right, the configuration is ours, and yet the file holds something else."""
    from safetensors.torch import save_file

    other = trainer("mt5", run, save_strategy="steps")
    save_file({"other.weight": torch.zeros(3)}, run / "checkpoint-3" / "model.safetensors")
    with pytest.raises(InputError, match=r"other\.weight|from another model"):
        other.train(resume_from_checkpoint=str(run / "checkpoint-3"))


def test_no_pickle_of_objects_is_written_or_read(saved: Path) -> None:
    """Every file that torch wrote opens with weights_only."""
    from transformers.trainer_pt_utils import safe_globals

    for path in (saved / "checkpoint-3").glob("*.p*t*"):
        with safe_globals():
            torch.load(path, weights_only=True)
    assert not (saved / "checkpoint-3" / "training_args.bin").exists()
    assert json.loads((saved / "checkpoint-3" / "loop_state.json").read_text())["circumstances"]["rows"] == 10
