"""The short form of the zoo: healthy set-ups of strangers get a go without a word, and stay as they were."""

import pytest

from tests.bench.zoo import examine, is_unchanged
from tests.zoo.faults import FAULTS
from tests.zoo.registry import setups
from tests.zoo.training import fell, train

SHORT = [name for name, one in setups().items() if one.short]
CASES = [(name, list(FAULTS)[number % len(FAULTS)]) for number, name in enumerate(SHORT)]


def test_the_zoo_holds_at_least_sixty_setups() -> None:
    assert len(setups()) >= 60 and len(SHORT) >= 8


@pytest.mark.parametrize("name", SHORT)
def test_a_healthy_setup_learns_and_gets_a_go(name: str) -> None:
    assert fell(train(setups()[name].facts(0)))
    result = examine((name, "", 0))
    assert result is not None and result.verdict == "go", (result.headline, result.stuck)
    assert not result.errors + result.warnings


@pytest.mark.parametrize("name", SHORT[::2])
def test_ten_steps_after_a_preflight_are_ten_steps_without_one(name: str) -> None:
    assert is_unchanged((name, "", 0))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fault"), CASES)
def test_a_fault_in_a_short_setup_is_told(name: str, fault: str) -> None:
    result = examine((name, fault, 0))
    assert result is None or result.told
