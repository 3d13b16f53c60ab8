"""What the README says to type is typed: its Python with a real Trainer, its commands here or in other tests."""

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest
import torch

from tests.laws.test_readme import TOOLS, commands
from tests.support.generated_docs import README, ROOT
from tests.support.hf_trainers import trainer_of

TEXT = README.read_text(encoding="utf-8")
RUN = sorted({(tool, words[0]) for tool, words in commands(README) if words and words[0] in TOOLS[tool].commands})
HERE = ["diagnose list", "diagnose explain LAB002", 'diagnose explain "loss is nan"', "diagnose env"]
HERE += ["diagnose completion bash", "train completion bash"]


def python_of(heading: str) -> str:
    section = TEXT.split(f"## {heading}\n")[1].split("\n## ")[0]
    return "\n".join(line[4:] for line in section.splitlines() if line.startswith("    "))


def test_the_python_for_a_trainer_of_your_own_runs_and_ends_with_go(tmp_path):
    trainer = trainer_of(tmp_path, "mt5")
    given = {
        "trainer": trainer,
        "model": trainer.model,
        "batch": next(iter(trainer.get_train_dataloader())),
        "Trainer": lambda *_, callbacks: [trainer.add_callback(one) for one in callbacks],
    } | {"loss": torch.tensor(2.0), "norm": 1.0, "rate": 1e-3}
    names = dict(given)
    exec(compile(python_of("Your own trainer"), "README.md", "exec"), names)
    assert str(names["report"].verdict) == "go" and names["origin"] is None
    assert any(isinstance(one, names["GuardCallback"]) for one in trainer.callback_handler.callbacks)
    trainer.args.max_steps = 2
    assert trainer.train().global_step == 2


@pytest.mark.parametrize("line", HERE)
def test_a_command_that_needs_no_run_ends_well(line):
    assert f"`{line}`" in TEXT or line in ("diagnose list", "train completion bash")
    tool, *words = shlex.split(line)
    script = str(Path(sys.executable).with_name(tool))
    done = subprocess.run([script, *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and len(done.stdout.splitlines()) >= 5


def test_serve_shows_the_list_until_it_is_interrupted(tmp_path):
    command = [sys.executable, "-m", "diagnose", "serve", str(tmp_path), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip()
        assert "Runs in" in urlopen(address).read().decode()
        process.send_signal(signal.SIGINT)
        assert process.stdout.read().strip() == "stopped" and process.wait() == 0


@pytest.mark.parametrize(("tool", "name"), RUN, ids=" ".join)
def test_every_command_of_the_readme_is_run_by_a_test(tool, name):
    """As a word of an argument list, or in a line that is split or typed in a terminal."""
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")]
    called = re.compile(rf"[\[(]\*?.*\"{name}\"[,\])]|\"{tool}( -\S+)* {name}\b")
    assert any(called.search(source) for source in sources), f"{tool} {name}"
