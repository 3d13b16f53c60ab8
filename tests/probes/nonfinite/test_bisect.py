"""A value that is not finite is followed to where it was born; what is harmless is left alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from probes.facts.nonfinite.bisect import bisect_batch
from probes.facts.nonfinite.traced_step import find_origin, step_is_finite
from probes.loss.value_overflows import value_overflows
from tests.support.nan_models import CAUSES, TRAPS, case, is_named, spoil_row
from tests.support.state_picture import picture

QUICK, SLOW = ("hybrid",), ("whisper", "e2e", "mt5")
ARCHITECTURES = [*QUICK, *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW[:1])]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("name", CAUSES)
def test_a_cause_is_named_by_phase_operation_and_module(architecture: str, name: str) -> None:
    cause = CAUSES[name]
    if cause.only and architecture not in cause.only:
        pytest.skip(f"{name} cannot be put into {architecture}")
    broken = case(architecture)
    cause.put(broken)
    assert not step_is_finite(broken.subject(), broken.batch)
    origin = find_origin(broken.subject(), broken.batch)
    assert is_named(cause, broken.name, origin), origin


@pytest.mark.parametrize("name", TRAPS)
def test_a_harmless_value_is_left_alone_and_hides_no_other(name: str) -> None:
    trapped = case("hybrid")
    trapped.after(TRAPS[name])
    assert step_is_finite(trapped.subject(), trapped.batch)
    trapped.loss(lambda loss: loss - (loss * 0).log())
    origin = find_origin(trapped.subject(), trapped.batch)
    assert origin is not None and (origin.phase, origin.operation) == ("loss", "log")
    assert origin.line.split(":")[0].endswith("test_bisect.py")


def test_the_guilty_row_is_found_by_halving() -> None:
    broken = case("hybrid")
    spoil_row(float("nan"))(broken)
    found = bisect_batch(broken.subject(), broken.batch, ("a.wav", "b.wav", "c.wav", "d.wav")).origin
    assert found is not None
    assert (found.phase, found.module, found.rows, found.files) == ("data", "batch['feats']", (2,), ("c.wav",))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_weights_that_a_learning_rate_of_1000_made_explode_are_blamed_and_no_operation(architecture: str) -> None:
    run = case(architecture)
    optimizer = torch.optim.AdamW(run.model.parameters(), lr=1000.0)
    for _ in range(12):
        subject = replace(run.subject(), optimizer=optimizer)
        found = bisect_batch(subject, run.batch)
        if found.origin is not None:
            break
        optimizer.zero_grad()
        run.subject().compute_loss(run.model, run.batch).backward()
        optimizer.step()
    assert found.origin is not None and found.origin.exploded is not None and found.origin.rows == ()
    assert found.origin.exploded.learning_rate == 1000.0 and found.origin.exploded.largest > 1000
    (finding,) = value_overflows(found)
    assert "learning rate 1000" in finding.message and finding.fix.startswith("lower the learning rate")


def test_a_healthy_step_costs_one_pass_and_finds_nothing() -> None:
    healthy = case("hybrid")
    assert bisect_batch(healthy.subject(), healthy.batch).origin is None


def test_nothing_is_left_behind_even_when_the_pass_raises() -> None:
    broken = case("hybrid")
    broken.after(lambda x: x / (x - x))
    before, random = picture(broken.model), torch.get_rng_state()
    bisect_batch(broken.subject(), broken.batch)
    broken.loss(lambda loss: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        find_origin(broken.subject(), broken.batch)
    assert torch.equal(random, torch.get_rng_state())
    assert picture(broken.model) == before
