"""The pytest plugin, as installed: another pytest runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = """
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

def facts(double=False):
    torch.manual_seed(0)
    x = torch.randn(512, 16)
    y = (x @ torch.randn(16, 4)).argmax(-1)
    model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 4))

    def compute_loss(model, batch):
        logits = model(batch[0])
        return nn.functional.cross_entropy(logits.softmax(-1) if double else logits, batch[1])

    loader = DataLoader(TensorDataset(x, y), 32, shuffle=True)
    return {"model": model, "train_batches": loader, "compute_loss": compute_loss}

def broken():
    return facts(double=True)

class TestTraining:
    def test_the_run_may_start(self, preflight):
        assert preflight("test_project:facts").verdict == "go"

    def test_the_broken_run_may_not(self, preflight):
        preflight(**broken())
"""


def pytest_of(folder: Path, *words: str) -> tuple[int, str]:
    (folder / "test_project.py").write_text(PROJECT)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:xdist", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment, check=False)
    return done.returncode, done.stdout + done.stderr


def test_a_subject_by_name_is_a_test_with_the_report(tmp_path: Path) -> None:
    subject = "test_project:broken"
    code, text = pytest_of(tmp_path, "--preflight", subject, "-k", "preflight and project and not Training")
    assert code == 1 and "1. LOS008 error  cross_entropy" in text and f"preflight {subject}" in text
    assert "Traceback" not in text


def test_a_subject_that_is_missing_fails_in_one_sentence(tmp_path: Path) -> None:
    code, text = pytest_of(tmp_path, "--preflight", "test_project:gone", "-k", "gone")
    assert code == 1 and "expected a function gone in test_project, but there is no such name" in text


@pytest.mark.slow
def test_the_fixture_passes_a_healthy_run_and_fails_a_broken_one(tmp_path: Path) -> None:
    code, text = pytest_of(tmp_path, "-v")
    assert code == 1 and "1 failed, 1 passed" in text and "LOS008" in text
