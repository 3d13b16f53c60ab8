"""Every example with each of its switches, and the root cause that it ends with; "" for a healthy one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples"
NOTEBOOK = "mt5_rescue.ipynb"

SCRIPTS = {
    "plain_loop.py": {"": "", "--broken": "GRD013"},
    "hf_trainer.py": {"": "", "--broken": "LAB002"},
    "lightning_module.py": {"": "", "--broken": "GRD001"},
    "accelerate_loop.py": {"": "", "--broken": "PAR002"},
    "lora_whisper.py": {"": "", "--broken": "GRD003"},
    "classifier_pitfalls.py": {
        "": "",
        "--broken broadcasting": "LOS012",
        "--broken in_place": "GRD003",
        "--broken wrong_reduction": "LOS011",
        "--broken double_softmax": "LOS008",
        "--broken forgotten_zero_grad": "GRD013",
        "--broken eval_mode": "PLC006",
        "--broken detached": "GRD001",
        "--broken misaligned_labels": "LAB034",
        "--broken scaler_on_all_data": "DAT048",
    },
    "instruct_tts/train.py": {
        "": "",
        "--broken fp16": "LOS052",
        "--broken freezing": "PAR016",
        "--broken device": "PLC001",
        "--broken masked_labels": "LAB001",
    },
    NOTEBOOK: {"": "", "all_masked": "LAB001", "frozen": "PAR001", "fp16_weights": "PLC002"},
}
CASES = [(script, switch, root) for script, switches in SCRIPTS.items() for switch, root in switches.items()]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "COLUMNS": "200"}


def run(script: str, switch: str) -> tuple[int, str]:
    """Exit code and what was printed."""
    return run_notebook(switch) if script == NOTEBOOK else run_python([str(FOLDER / script), *switch.split()])


def run_python(words: list[str]) -> tuple[int, str]:
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, env=ENVIRONMENT, check=False)
    return done.returncode, done.stdout + done.stderr


def run_notebook(broken: str) -> tuple[int, str]:
    """1 where a cell raises, as a script that raises; the first cell holds the switch."""
    book = nbformat.read(FOLDER / NOTEBOOK, as_version=4)
    first = next(cell for cell in book.cells if cell.cell_type == "code")
    first.source = f"BROKEN = {broken!r}"
    try:
        NotebookClient(book, timeout=300, resources={"metadata": {"path": str(FOLDER)}}).execute()
    except CellExecutionError as error:
        return 1, str(error)
    outputs = [output for cell in book.cells for output in cell.get("outputs", ())]
    return 0, "".join(output.get("text", "") or str(output.get("data", "")) for output in outputs)


def names_root(text: str, root: str) -> bool:
    """Whether the report's first finding is of this check: as an exception says it, or as it is printed."""
    return f"no-go: {root} " in text or f"\n1. {root} " in f"\n{text}"
