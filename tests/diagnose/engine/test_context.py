"""Facts: each at most once, by parameter name, and every refusal told with its chain."""

import random
import subprocess
import sys

import numpy
import pytest
import torch

from diagnose.common.provider import Provider
from diagnose.engine.context import Context, FactFailed, NotApplicable, NotGiven, Unavailable
from diagnose.engine.seeding import seeded
from tests.support.fake_probes import probe_of, unknown_facts


def context(given, *functions):
    return Context(given, [Provider(function) for function in functions])


def test_a_fact_is_computed_once_and_shared():
    calls = []

    def batch(train_batches):
        calls.append("batch")
        return train_batches[0]

    def loss(batch):
        return batch * 2.0

    def norm(batch):
        return batch * 3.0

    facts = context({"train_batches": [5]}, batch, loss, norm)
    assert (facts.get("loss"), facts.get("norm"), facts.get("loss")) == (10.0, 15.0, 10.0)
    assert calls == ["batch"]


def test_nothing_is_computed_unless_asked():
    def explodes(model):
        raise AssertionError("nobody asked")

    def size(model):
        return len(model)

    assert context({"model": "abc"}, explodes, size).get("size") == 3


def test_an_error_is_remembered_never_repeated_and_told_with_its_chain():
    calls = []

    def batch(train_batches):
        calls.append(1)
        raise ValueError("row 3 is torn\nin two lines")

    def label_rows(batch):
        return batch

    facts = context({"train_batches": [1]}, batch, label_rows)
    for _ in range(2):
        with pytest.raises(FactFailed) as refusal:
            facts.get("label_rows")
        assert str(refusal.value) == "label_rows ← batch: ValueError: row 3 is torn in two lines"
        assert "row 3 is torn\nin two lines" in refusal.value.trace
    assert calls == [1]


def test_a_refusal_keeps_no_frames_and_so_no_batch_alive():
    def batch(train_batches):
        big = bytearray(10)
        raise Unavailable(f"{len(big)} bytes of silence")

    facts = context({"train_batches": [1]}, batch)
    with pytest.raises(Unavailable):
        facts.get("batch")
    kept = facts._settled["batch"]
    assert kept.__traceback__ is None and kept.__cause__ is None and kept.__context__ is None


def test_sys_exit_in_a_provider_is_a_failure_and_ctrl_c_is_not():
    def exits(model):
        sys.exit("done")

    def interrupted(model):
        raise KeyboardInterrupt

    facts = context({"model": 1}, exits, interrupted)
    with pytest.raises(FactFailed, match="SystemExit: done"):
        facts.get("exits")
    with pytest.raises(KeyboardInterrupt):
        facts.get("interrupted")


def test_an_input_error_is_told_without_its_class():
    from diagnose.common.errors import InputError

    def model(config):
        raise InputError("models/x does not exist; give a directory.")

    with pytest.raises(FactFailed) as refusal:
        context({"config": 1}, model).get("model")
    assert str(refusal.value) == "model: models/x does not exist; give a directory."


def test_a_given_fact_wins_over_every_provider():
    def batch(train_batches):
        return "derived"

    assert context({"batch": "given", "train_batches": [1]}, batch).get("batch") == "given"


def test_the_first_registered_provider_whose_needs_can_be_had_gives_the_fact():
    def named(name, function):
        function.__name__ = name
        return function

    from_trainer = named("batch", lambda trainer: "from trainer")
    from_config = named("batch", lambda config: "from config")
    assert context({"config": 1}, from_trainer, from_config).get("batch") == "from config"
    assert context({"config": 1, "trainer": 1}, from_trainer, from_config).get("batch") == "from trainer"


def test_two_facts_may_be_derived_from_each_other():
    def train_rows(train_dataset):
        return [*train_dataset, "row"]

    def train_dataset(train_rows):
        return [*train_rows, "item"]

    assert context({"train_rows": ["a"]}, train_rows, train_dataset).get("train_dataset") == ["a", "item"]
    assert context({"train_dataset": ["b"]}, train_rows, train_dataset).get("train_rows") == ["b", "row"]
    with pytest.raises(NotGiven, match="not given: train_rows"):
        context({}, train_rows, train_dataset).get("train_rows")


def test_a_detour_through_a_circle_does_not_hide_the_straight_way():
    def named(name, function):
        function.__name__ = name
        return function

    functions = [named("a", lambda b: f"a of {b}"), named("a", lambda model: "a"), named("b", lambda a: f"b of {a}")]
    facts = context({"model": 1}, *functions)
    assert facts.get("a") == "a" and facts.get("b") == "b of a"


def test_not_given_names_the_root_facts_that_are_missing():
    def batch(train_batches):
        return 1

    def first_step(model, batch):
        return 1

    with pytest.raises(NotGiven) as refusal:
        context({}, batch, first_step).get("first_step")
    assert str(refusal.value) == "not given: model, train_batches"


def test_not_given_names_every_fact_that_would_do():
    def named(name, function):
        function.__name__ = name
        return function

    ways = [named("rows", lambda train_rows: 1), named("rows", lambda train_dataset: 1), named("rows", lambda a, b: 1)]
    with pytest.raises(NotGiven, match=r"not given: train_rows or train_dataset$"):
        context({}, *ways).get("rows")


def test_optional_parameters_keep_their_default_when_there_is_no_such_fact():
    def batch(train_batches, seed=7, tokenizer="none", scaler="none"):
        return (seed, tokenizer, scaler)

    def scaler(train_batches):
        raise NotApplicable("no scaler")

    assert context({"train_batches": [1], "tokenizer": "t"}, batch, scaler).get("batch") == (7, "t", "none")


def test_an_optional_fact_that_failed_still_blocks():
    def tokenizer(config):
        raise OSError("no such file")

    def batch(train_batches, tokenizer=None):
        return 1

    with pytest.raises(FactFailed, match="batch ← tokenizer: OSError: no such file"):
        context({"train_batches": [1], "config": 1}, tokenizer, batch).get("batch")


@pytest.mark.parametrize("empty", [[], (), {}, torch.utils.data.DataLoader([])])
def test_an_empty_collection_is_unavailable_not_clean(empty):
    with pytest.raises(Unavailable, match="train_batches: it is empty"):
        context({"train_batches": empty}).get("train_batches")


def test_patterns_may_be_empty_and_none_means_there_is_none():
    def scheduler(trainer):
        return None

    facts = context({"fresh": (), "optimizer": None, "trainer": 1}, scheduler)
    assert facts.get("fresh") == ()
    with pytest.raises(NotGiven, match="not given: optimizer"):
        facts.get("optimizer")
    with pytest.raises(NotApplicable, match="scheduler: there is none"):
        facts.get("scheduler")


def test_every_provider_runs_under_its_own_seed_and_leaves_every_state_as_it_was():
    def noise(model):
        return (random.random(), float(numpy.random.rand()), float(torch.rand(1)))

    def other(model):
        return noise(model)

    random.seed(1), numpy.random.seed(2), torch.manual_seed(3)
    python, legacy, generator = random.getstate(), numpy.random.get_state()[1].tobytes(), torch.get_rng_state()
    alone = context({"model": 1}, noise).get("noise")
    after = context({"model": 1}, other, noise)
    assert after.get("other") != alone and after.get("noise") == alone
    assert random.getstate() == python and numpy.random.get_state()[1].tobytes() == legacy
    assert torch.equal(torch.get_rng_state(), generator) and torch.initial_seed() == 3


def test_states_come_back_when_the_provider_raises():
    torch.manual_seed(11)
    before = torch.get_rng_state()
    with pytest.raises(ValueError), seeded("x"):
        torch.rand(3)
        raise ValueError
    assert torch.equal(torch.get_rng_state(), before)


def test_seeding_imports_nothing():
    code = "import sys; from diagnose.engine.seeding import seeded\nwith seeded('x'): pass\n"
    subprocess.run([sys.executable, "-c", code + "assert not {'torch', 'numpy'} & set(sys.modules)"], check=True)


def test_a_misspelt_fact_is_named_with_the_nearest():
    def label_rows(batch):
        return batch

    def batch(train_batchs):
        return train_batchs

    wrong = unknown_facts([probe_of("LAB001", lambda label_row: ())], [Provider(label_rows), Provider(batch)])
    assert len(wrong) == 2
    assert "'label_row', which nobody provides (nearest: label_rows)" in wrong[0]
    assert "'train_batchs', which nobody provides (nearest: train_batches)" in wrong[1]


def test_no_registered_probe_or_provider_asks_for_a_fact_that_nobody_gives():
    from diagnose.engine import discovery

    assert unknown_facts(discovery.probes().items, discovery.providers().items) == []
