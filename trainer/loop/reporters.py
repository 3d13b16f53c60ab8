"""Where curves go besides the log: TensorBoard, Weights & Biases and MLflow, offline in logs/ of the run."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING, Any

from transformers import TrainerCallback
from transformers.integrations import MLflowCallback, TensorBoardCallback, WandbCallback

from diagnose.common.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from transformers import TrainerControl, TrainerState

KINDS = {"tensorboard": TensorBoardCallback, "wandb": WandbCallback, "mlflow": MLflowCallback}


def require_reporters(names: Sequence[str]) -> None:
    """Refuse a reporter whose package is not installed, before anything is computed."""
    for name in names:
        if importlib.util.find_spec(name) is None:
            raise InputError(
                f"training.report_to: the package {name} is not installed; run `pip install {name}`, or remove {name}"
            )


def reporters(names: Sequence[str], folder: Path) -> list[TrainerCallback]:
    """One callback for each name, after one that has them write below the folder."""
    require_reporters(names)
    found = [KINDS[name]() for name in names]
    for callback in found:
        if isinstance(callback, TensorBoardCallback):
            callback.logging_dir = str(folder)
    return [ReporterFolderCallback(names, folder), *found] if found else []


class ReporterFolderCallback(TrainerCallback):
    """During the training, wandb and mlflow write to the folder, unless the environment says otherwise."""

    def __init__(self, names: Sequence[str], folder: Path) -> None:
        self.names, self.folder = names, folder.absolute()
        self._set: list[str] = []

    def on_train_begin(self, args: Any, state: TrainerState, control: TrainerControl, **_: Any) -> None:
        """Without this, wandb asks for an account and mlflow writes to the working directory."""
        if "wandb" in self.names and state.is_world_process_zero:
            import wandb

            ours = {"mode": "offline", "dir": str(self.folder), "project": "gonogo"}
            wanted: Any = {name: os.environ.get(f"WANDB_{name.upper()}", value) for name, value in ours.items()}
            self.folder.mkdir(parents=True, exist_ok=True)
            wandb.init(name=args.run_name, **wanted)
        if "mlflow" in self.names:
            values = {"MLFLOW_TRACKING_URI": (self.folder / "mlflow").as_uri(), "MLFLOW_ALLOW_FILE_STORE": "true"}
            self._set = [name for name in values if name not in os.environ]
            os.environ.update({name: values[name] for name in self._set})

    def close(self) -> None:
        """End the run in wandb, so that the next one in this process has its own; restore the environment."""
        if "wandb" in self.names:
            import wandb

            wandb.finish()
        for name in self._set:
            os.environ.pop(name, None)
