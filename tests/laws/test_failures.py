"""The short form of the reported failures: each is told by a probe that names it, and its healthy twin gets a go."""

import pytest

from tests.zoo.failures.cases import Case, cases

SHORT = [case for case in cases().values() if case.short]
QUICK = {
    "loop_without_zero_grad",
    "second_batch_raises",
    "nan_in_a_row_of_tuples",
    "micro_batches_are_summed",
    "own_blocks_with_reentrant_checkpointing",
    "name_filter_misses_the_norm",
    "rate_is_zero_after_a_quarter",
    "autocast_around_the_update",
    "schedule_stepped_at_every_micro_batch",
    "test_loader_over_the_training_set",
    "positions_made_for_the_first_batch",
    "own_save_raises_on_shared_tensors",
    "int16_samples_and_a_pretrained_model",
    "padding_masked_by_id",
    "start_token_compared_with_bos",
}
CHOSEN = [pytest.param(case, id=case.name) for case in cases().values() if case.name in QUICK]
REST = [pytest.param(case, id=case.name) for case in SHORT if case.name not in QUICK]


def test_at_least_sixty_cases_show_at_least_fifty_failures() -> None:
    assert len(cases()) >= 60 and len({case.fault for case in cases().values()}) >= 50
    assert all(case.probes for case in cases().values())


def told_and_quiet(case: Case) -> None:
    broken, healthy = case.look(True), case.look(False)
    assert case.is_named(broken), (broken.told, broken.headline)
    assert healthy.verdict == "go" and not healthy.told, (healthy.errors, healthy.warnings, healthy.stuck)


for_quick = pytest.mark.parametrize("case", CHOSEN)
for_the_rest = pytest.mark.parametrize("case", REST)


@for_quick
def test_a_quick_failure_is_named_and_its_twin_gets_a_go(case: Case) -> None:
    told_and_quiet(case)


@pytest.mark.bench  # two preflights each; `make bench WHAT=failures` runs every case
@for_the_rest
def test_a_failure_is_named_and_its_twin_gets_a_go(case: Case) -> None:
    told_and_quiet(case)
