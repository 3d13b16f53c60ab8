"""GuardCallback keeps the step that it stops, and nan-bisect makes it again in the run of the user."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner

import diagnose
from diagnose.cli import main
from tests.probes.guards.test_guards import with_lightning, with_transformers
from tests.support.line_model import BAD, Line

SUBJECT = "tests.support.line_model:line_facts"


def bisect(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["nan-bisect", *words])
    return done.exit_code, done.output


@pytest.mark.parametrize("trainer", [with_transformers, with_lightning])
def test_the_stopped_step_is_recorded_and_replayed(trainer: Any, tmp_path: Path) -> None:
    _, train = trainer(tmp_path, True, 12)
    with pytest.raises(diagnose.Stopped) as stopped:
        train()
    folder = stopped.value.recording
    assert folder == tmp_path / "recordings" / f"step-{BAD:07d}"
    subject = SUBJECT if trainer is with_transformers else "tests.support.line_model:lit_line_facts"
    code, text = bisect(str(folder), "--subject", subject)
    assert code == 1 and f"step {BAD}, batch 0 of 1: loss nan, bit-identical" in text
    assert "batch['x']" in text and "row 1" in text, text


def test_a_run_without_a_failure_records_nothing(tmp_path: Path) -> None:
    with_transformers(tmp_path, False, 4)[1]()
    assert not (tmp_path / "recordings").exists()


def test_what_is_wrong_with_a_recording_or_its_subject_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(diagnose.Stopped) as stopped:
        with_transformers(tmp_path, True, 12)[1]()
    folder = str(stopped.value.recording)
    assert "add --subject package.module:function" in bisect(folder)[1]
    assert "is of another model: layer.weight is (1, 5) in the --subject and (1, 4) recorded" in bisect(
        folder, "--subject", "tests.support.line_model:other_facts")[1]  # fmt: skip
    (Path(folder) / "step.pt").write_bytes(b"half")
    assert "cannot be read" in bisect(folder, "--subject", SUBJECT)[1]


class Doubtful(Line):
    """Fails where one random number of the step is below a half."""

    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        kept = (torch.rand(()) < 0.5).float()
        return {"loss": super().forward(x, labels)["loss"] + torch.log(kept)}


def failing(seed: int) -> bool:
    torch.manual_seed(seed)
    return bool(torch.rand(()) >= 0.5)


@pytest.mark.parametrize("seeds", [0, 8])
def test_a_failure_that_depends_on_the_random_state_is_found(seeds: int) -> None:
    batch = {"x": torch.ones(2, 4), "labels": torch.ones(2, 1)}
    bad, good = (next(seed for seed in range(100, 200) if failing(seed) is wanted) for wanted in (True, False))
    model = Doubtful()
    torch.manual_seed(bad)
    before = torch.get_rng_state()
    origin = diagnose.nan_bisect(model=model, batch=batch, seeds=0)
    assert origin.operation == "log" and origin.reproducible
    assert torch.equal(before, torch.get_rng_state())
    torch.manual_seed(good)
    assert (diagnose.nan_bisect(model=model, batch=batch, seeds=seeds) is not None) is (seeds > 0)


def test_nan_that_is_born_while_generating_is_found() -> None:
    from probes.healthy import healthy

    facts = healthy("mt5")
    model, batch = facts["model"], next(iter(facts["train_batches"]))
    head = model.train().lm_head.forward
    model.lm_head.forward = lambda states: head(states) if model.training else torch.sqrt(head(states) - 1e9)
    origin = diagnose.nan_bisect(model=model, batch=batch, seeds=0)
    assert (origin.phase, origin.operation, origin.module) == ("generation", "sqrt", "lm_head")
    del model.lm_head.forward
    assert diagnose.nan_bisect(model=model, batch=batch, seeds=0) is None
