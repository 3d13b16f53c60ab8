"""PreflightCallback in the trainers of others, the real packages."""

from __future__ import annotations

import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import diagnose
from diagnose.common.errors import InputError
from diagnose.gate.output_folder import read_receipt
from tests.support.small_trainers import lightning_run, transformers_run

RUNS = pytest.mark.parametrize("run", [transformers_run, lightning_run])


@RUNS
def test_a_healthy_run_starts_with_a_receipt_and_the_same_losses(run: Any, tmp_path: Path) -> None:
    callback = diagnose.PreflightCallback()
    _, checked = run(tmp_path / "checked", [callback])
    _, plain = run(tmp_path / "plain", [])
    assert checked == plain and len(plain) >= 12
    assert callback.report.verdict == "go" and read_receipt(tmp_path / "checked").full


@RUNS
def test_a_broken_run_does_not_start(run: Any, tmp_path: Path) -> None:
    with pytest.raises(diagnose.PreflightFailed) as refused:
        run(tmp_path, [diagnose.PreflightCallback()], double=True)
    assert refused.value.report.diagnosis[0].finding.probe == "LOS008"
    assert read_receipt(tmp_path).verdict == "no-go"


def test_a_warning_lets_it_start_and_a_second_call_of_train_is_not_checked_again(tmp_path: Path, caplog: Any) -> None:
    caplog.set_level(logging.WARNING)
    callback = diagnose.PreflightCallback(mode="warn")
    trainer, losses = transformers_run(tmp_path, [callback], double=True)
    first = callback.report
    trainer.train()
    assert len(losses) == 12 and callback.report is first and "LOS008" in caplog.text


def test_manual_optimization_gives_the_loss_of_its_first_backward_pass(tmp_path: Path) -> None:
    callback = diagnose.PreflightCallback()
    _, checked = lightning_run(tmp_path / "checked", [callback], manual=True)
    _, plain = lightning_run(tmp_path / "plain", [], manual=True)
    assert callback.report.verdict == "go" and checked == plain


def test_a_misspelled_mode_and_several_processes_are_refused_in_one_sentence() -> None:
    with pytest.raises(InputError, match="mode 'stopp': expected one of stop, warn"):
        diagnose.PreflightCallback(mode="stopp")
    with pytest.raises(InputError, match="--processes N before"):
        diagnose.PreflightCallback()._check(object(), 2, dict, resumed=False)


def test_it_can_be_imported_before_the_framework_that_it_is_for():
    code = "from diagnose import PreflightCallback\nfrom transformers import TrainerCallback\n"
    code += (
        "assert isinstance(PreflightCallback(), (PreflightCallback, TrainerCallback)) and PreflightCallback.__doc__\n"
    )
    code += "assert isinstance(PreflightCallback(), TrainerCallback)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
