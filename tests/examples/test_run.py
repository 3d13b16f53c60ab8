"""`diagnose run` on scripts that know nothing of it. All five of them: make bench WHAT=examples."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.examples.cases import ROOT, run_python

STOCK = ROOT / "tests" / "examples" / "stock"


def losses(text: str) -> list[str]:
    return [line for line in text.splitlines() if "0x1." in line]


@pytest.mark.parametrize("name", ["plain", pytest.param("lightning", marks=pytest.mark.slow)])
def test_a_script_that_is_looked_at_has_the_same_losses(name: str) -> None:
    path = str(STOCK / f"{name}_script.py")
    _, alone = run_python([path])
    code, looked = run_python(["-m", "diagnose", "run", path])
    assert code == 0 and "READY TO TRAIN" in looked, looked
    assert losses(looked) == losses(alone) and len(losses(alone)) >= 12


def test_the_gate_stops_a_script_with_its_own_options() -> None:
    words = ["-m", "diagnose", "run", "--gate", str(STOCK / "plain_script.py"), "--broken", "--epochs", "1"]
    code, text = run_python(words)
    assert code == 1 and "\n1. LOS008 error" in f"\n{text}" and len(losses(text)) == 1


def test_a_script_that_raises_ends_with_its_own_traceback(tmp_path: Path) -> None:
    script = tmp_path / "fails.py"
    script.write_text("import sys\nprint(sys.argv[1:])\nraise KeyError('gone')\n")
    code, text = run_python(["-m", "diagnose", "run", str(script), "--epochs", "3"])
    assert code == 1 and "['--epochs', '3']" in text and text.rstrip().endswith("KeyError: 'gone'")
    assert "runpy" not in text and f'File "{script}", line 3' in text


def test_a_script_without_training_is_told(tmp_path: Path) -> None:
    script = tmp_path / "reads.py"
    script.write_text("print('nothing')\n")
    code, text = run_python(["-m", "diagnose", "run", "--gate", str(script)])
    assert code == 2 and "no training was seen, nothing was checked" in text
