"""Curves beside the log: which reporters a configuration may name, where they write, what is told without a package."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any

import pytest
from transformers import TrainerControl, TrainerState

from diagnose.common.errors import InputError
from tests.support.small_runs import config, trainer
from trainer.loop.reporters import ReporterFolderCallback, reporters, require_reporters


@pytest.mark.parametrize(
    ("given", "names"),
    [("none", ()), ("wandb", ("wandb",)), (["tensorboard", "mlflow"], ("tensorboard", "mlflow")), ([], ())],
)
def test_one_name_several_or_none(given: Any, names: tuple[str, ...], tmp_path: Path) -> None:
    assert config("mt5", tmp_path, report_to=given).training.report_to == names


def test_a_package_that_is_missing_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    known = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == "wandb" else known(name))
    require_reporters(["tensorboard"])
    with pytest.raises(InputError, match="the package wandb is not installed; run `pip install wandb`"):
        reporters(["tensorboard", "wandb"], tmp_path)


def test_the_environment_is_set_during_the_training_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "of the user")
    before = dict(os.environ)
    callback = ReporterFolderCallback(["mlflow"], tmp_path)
    callback.on_train_begin(None, TrainerState(), TrainerControl())
    assert os.environ["MLFLOW_TRACKING_URI"] == (tmp_path / "mlflow").as_uri()
    assert os.environ["MLFLOW_ALLOW_FILE_STORE"] == "of the user"
    callback.close()
    assert dict(os.environ) == before


@pytest.mark.bench  # needs the extra `reporters`
def test_wandb_and_mlflow_write_offline_to_the_folder_of_the_run(tmp_path: Path) -> None:
    for number in (1, 2):  # a second run in the same process has its own folder
        folder = tmp_path / str(number)
        run = trainer("mt5", folder, max_steps=3, report_to=["tensorboard", "wandb", "mlflow"])
        with run.close_callbacks():
            run.train()
        assert len([*(folder / "logs" / "wandb").glob("offline-run-*/run-*.wandb")]) == 1
        (losses,) = (folder / "logs" / "mlflow").glob("0/*/metrics/loss")
        assert [line.split()[2] for line in losses.read_text().splitlines()] == ["1", "2", "3"]
        assert list((folder / "logs").glob("events.out.tfevents*"))
