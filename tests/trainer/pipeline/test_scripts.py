"""scripts/: they run the pipeline with the configurations that they name, from a folder without data too."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from trainer.paths import shipped_names

SCRIPTS = Path(__file__).parents[3] / "scripts"


@pytest.mark.parametrize("name", ["run_dev", "run_prod"])
def test_a_script_starts_the_pipeline_and_gives_its_exit_code(tmp_path: Path, name: str) -> None:
    environment = {**os.environ, "VENV": sys.prefix}
    command = [SCRIPTS / f"{name}.sh", "--set", "paths.manifest_path=gone.tsv"]
    told = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert told.returncode == 2 and "gone.tsv" in told.stderr and "Traceback" not in told.stderr, told.stderr


def test_windows_runs_the_same_configurations_and_its_lines_end_as_there() -> None:
    text = (SCRIPTS / "run_dev.bat").read_bytes().decode()
    assert text.count("\n") == text.count("\r\n") > 10
    shell = (SCRIPTS / "run_dev.sh").read_text()
    names = [name for name in shipped_names() if f"--config {name} " in text]
    assert names == ["dev_e2e", "dev_whisper"] and all(f"{name} " in shell for name in names)
