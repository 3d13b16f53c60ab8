"""The guards in trainers that are not ours: transformers' own and Lightning's, the real packages."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from diagnose.engine.report import Stopped
from tests.support.line_model import BAD, Line, Rows


def with_transformers(folder: Path, bad: bool, steps: int, **settings: Any) -> tuple[torch.nn.Module, Any]:
    from transformers import Trainer, TrainingArguments

    from probes.guards.transformers import GuardCallback

    arguments = TrainingArguments(
        str(folder),
        per_device_train_batch_size=4,
        max_steps=steps,
        lr_scheduler_type="constant",
        train_sampling_strategy="sequential",
        learning_rate=0.05,
        logging_steps=2,
        report_to="none",
        disable_tqdm=True,
        save_strategy="no",
        use_cpu=True,
    )
    model = Line()
    return model, Trainer(model, arguments, train_dataset=Rows(bad), callbacks=[GuardCallback(**settings)]).train


def with_lightning(folder: Path, bad: bool, steps: int, **settings: Any) -> tuple[torch.nn.Module, Any]:
    lightning = pytest.importorskip("lightning.pytorch", reason="the extra [lightning] is not installed")
    from probes.guards.lightning import GuardCallback

    class Module(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.line = Line()

        def training_step(self, batch: dict[str, torch.Tensor], number: int) -> torch.Tensor:
            return self.line(**batch)["loss"]

        def configure_optimizers(self) -> torch.optim.Optimizer:
            return torch.optim.AdamW(self.parameters(), lr=0.05)

    module = Module()
    trainer = lightning.Trainer(
        max_steps=steps,
        accelerator="cpu",
        gradient_clip_val=1.0,
        callbacks=[GuardCallback(**settings)],
        default_root_dir=folder,
        logger=False,
        enable_progress_bar=False,
        enable_checkpointing=False,
        enable_model_summary=False,
    )
    loader = torch.utils.data.DataLoader(Rows(bad), batch_size=4)
    return module.line, lambda: trainer.fit(module, loader)


def with_nothing(folder: Path, bad: bool, steps: int, **settings: Any) -> tuple[torch.nn.Module, Any]:
    """A plain loop, with one line of the guard between backward and update."""
    from diagnose import Guard

    model, guard = Line(), Guard(**settings)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.05)

    def train() -> None:
        for batch, _ in zip(torch.utils.data.DataLoader(Rows(bad), batch_size=4), range(steps), strict=False):
            loss = model(**batch)["loss"]
            loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            guard.step(loss=loss, grad_norm=norm, lr=0.05)
            optimizer.step()
            optimizer.zero_grad()

    return model, train


FOREIGN = pytest.mark.parametrize("made", [with_transformers, with_lightning])
ALL = pytest.mark.parametrize("made", [with_transformers, with_lightning, with_nothing])


@ALL
def test_a_bad_row_at_step_7_stops_the_run_before_its_update(made: Any, tmp_path: Path) -> None:
    healthy, train = made(tmp_path / "healthy", False, BAD - 1)
    train()
    model, train = made(tmp_path / "bad", True, 12)
    with pytest.raises(Stopped) as stop:
        train()
    assert torch.equal(model.layer.weight, healthy.layer.weight)
    assert stop.value.report.diagnosis[0].finding.where == f"step {BAD}"


@FOREIGN
def test_warned_only_the_run_goes_on(made: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model, train = made(tmp_path, True, 12, mode="warn")
    train()
    assert torch.isfinite(model.layer.weight).all()
    assert len([one for one in caplog.records if f"at step {BAD}" in one.getMessage()]) == 1


def test_what_a_person_logs_without_a_learning_rate_does_no_harm(tmp_path: Path) -> None:
    from transformers import TrainerControl, TrainerState, TrainingArguments

    from probes.guards.transformers import GuardCallback

    callback, arguments = GuardCallback(), TrainingArguments(str(tmp_path), use_cpu=True)
    callback.on_log(arguments, TrainerState(global_step=1), TrainerControl(), logs={"loss": 3.0})
    assert callback.guard.records().rows[0].lr is None


@FOREIGN
def test_a_healthy_run_is_the_same_with_and_without(made: Any, tmp_path: Path) -> None:
    results = []
    for mode in ("stop", "off"):
        model, train = made(tmp_path / mode, False, 12, mode=mode, every=4)
        train()
        assert not model._forward_hooks
        results.append(model.layer.weight.detach().clone())
    assert torch.equal(*results)


def test_neither_package_is_imported_to_list_the_probes() -> None:
    code = "from diagnose.engine import discovery; unreadable = discovery.probes().unreadable"
    code += "; import sys; print(unreadable, sorted(sys.modules))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=dict(os.environ))
    assert told.stdout.startswith("() ") and "'lightning'" not in told.stdout and "'transformers'" not in told.stdout
