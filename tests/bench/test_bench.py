"""The measurements in small: what `make bench` writes, and that the campaigns it runs can be passed and failed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.__main__ import chosen
from tests.bench.campaigns.kills import MODELS, campaign
from tests.bench.cost.step_cost import Stepper
from tests.bench.report import Measured, save
from tests.bench.trainer import MEASUREMENTS, waste
from tests.support.small_runs import ROOT


def test_figures_lie_at_their_paths_and_others_stay(tmp_path: Path) -> None:
    save("trainer", "kills/hybrid", Measured({"tried": 20, "identical": 20}, "20 kills"), "make bench", tmp_path)
    save("trainer", "throughput/hybrid", Measured({"ratio": 1.0123}, "60 steps"), "make bench", tmp_path)
    save("trainer", "throughput/mt5", Measured({"ratio": 1.0}, "60 steps"), "make bench", tmp_path)
    content = json.loads((tmp_path / "trainer.json").read_text())
    assert content["trainer"]["kills"]["hybrid"]["identical"] == 20
    assert content["trainer"]["throughput"]["hybrid"]["ratio"] == 1.0123
    about = content["about"]["throughput/hybrid"]
    assert {"date", "versions", "cores", "command", "repetitions"} <= set(about)
    table = (tmp_path / "trainer.md").read_text()
    assert "| `trainer/throughput/hybrid/ratio` | 1.012 |" in table
    assert "| `trainer/kills/hybrid/tried` | 20 |" in table


def test_one_measurement_or_one_topic_can_be_asked_for() -> None:
    assert [name for topic, name, _ in chosen(["trainer"]) if topic == "trainer"] == list(MEASUREMENTS)
    assert [name for _, name, _ in chosen(["trainer/kills"])] == [f"kills/{model}" for model in MODELS]
    assert [name for _, name, _ in chosen(["trainer/kills/mt5"])] == ["kills/mt5"]
    with pytest.raises(SystemExit, match="no measurement is called nothing; there are "):
        chosen(["nothing"])


def test_loops_are_stepped_in_turn() -> None:
    said: list[str] = []

    def loop(name: str):
        def run(pause):
            while True:
                said.append(name)
                pause()

        return run

    one, other = Stepper(loop("a")), Stepper(loop("b"))
    for _ in range(3):
        one.step()
        other.step()
    one.end()
    other.end()
    assert said == ["a", "b"] * 3


def test_a_loop_that_fails_fails_its_measurement() -> None:
    def loop(pause):
        raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        Stepper(loop).step()


def test_little_of_a_long_tailed_corpus_is_padding() -> None:
    lengths = [0.5 + (number * 7919 % 1000) ** 3 / 4e7 for number in range(4000)]
    found = waste("long_tailed", lengths)
    assert found["long_tailed"] < 0.1 < found["long_tailed_in_random_batches"]


@pytest.mark.slow
@pytest.mark.parametrize("model", ["hybrid", "mt5"])
def test_a_run_killed_twice_ends_as_if_it_had_been_left_alone(model: str) -> None:
    """In a process of its own, which forks the runs: this one has threads of pytest's."""
    code = f"from tests.bench.campaigns.kills import campaign; import json; print(json.dumps(campaign({model!r}, 2)))"
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr[-3000:]
    outcome = json.loads(done.stdout)
    assert outcome["while_saving"] >= 1
    assert (outcome["tried"], outcome["identical"], outcome["stuck"]) == (2, 2, 0)


@pytest.mark.slow
def test_a_step_costs_hardly_more_than_a_bare_loop() -> None:
    """Few steps on a busy machine: the bound is wide here, and 1.05 in `make bench`."""
    from tests.bench.cost.throughput import one_model

    assert one_model("hybrid", rounds=12, rows=32)["ratio"] < 1.3


@pytest.mark.bench
def test_twenty_kills() -> None:
    outcome = campaign("hybrid", 20)
    assert outcome["identical"] == outcome["tried"] == 20
    assert outcome["stuck"] == 0
    assert outcome["while_saving"] >= 10
