"""A package of two files adds a check by being installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.examples.cases import FOLDER

LOOK = """
import torch, diagnose
model = torch.nn.Linear(1000, 51_000, device="meta")
print(diagnose.preflight(model=model, select=["PAR901"]).findings)
"""


def test_the_package_is_listed_and_finds_its_fault(tmp_path: Path) -> None:
    source = shutil.copytree(FOLDER / "third_party_probe", tmp_path / "source")
    assert {path.name for path in source.iterdir()} == {"pyproject.toml", "house_rules.py"}
    where = tmp_path / "site"
    pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target", str(where), str(source)]
    subprocess.run([sys.executable, *pip], check=True)
    environment = {**os.environ, "PYTHONPATH": str(where)}
    for words, expected in ((["-m", "diagnose", "list"], "PAR901"), (["-c", LOOK], "51,051,000 values")):
        done = subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment, check=True)
        assert expected in done.stdout
