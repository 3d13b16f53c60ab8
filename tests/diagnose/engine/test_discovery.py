"""Discovery: probes, providers and faults are found by being installed, and a broken module is told."""

import sys

import pytest

from diagnose import Status
from diagnose.engine import discovery
from diagnose.engine.providers import ProviderPlan
from tests.support.fake_probes import install

PROBE = '''
from diagnose import Finding, Severity, Stage, probe

@probe(id="{id}", stage=Stage.DATA, severity=Severity.ERROR)
def {name}(train_rows):
    """A title."""
    yield Finding("row 1", "bad", "mend it")
'''

GIVING = """
from os.path import join

from diagnose import provider

@provider
def colour(model):
    return "red"

def helper(model): ...
"""


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A third party's package, installed for real: a folder with metadata on the path."""
    files = {
        "extra/__init__.py": "",
        "extra/data/__init__.py": "",
        "extra/data/one.py": PROBE.format(id="DAT901", name="one"),
        "extra/data/again.py": "from extra.data.one import one",
        "extra/data/same_id.py": PROBE.format(id="DAT901", name="same_id"),
        "extra/data/broken.py": "import nothing_of_this_name",
        "extra/data/untold.py": PROBE.format(id="DAT902", name="untold").replace('"""A title."""', "..."),
        "extra/data/misplaced.py": PROBE.format(id="LAB901", name="misplaced"),
        "extra/facts/__init__.py": "raise RuntimeError('not walked')",
        "extra/giving.py": GIVING,
    }
    install(tmp_path, files, "[gonogo.probes]\nextra = extra\n[gonogo.providers]\nextra = extra.giving\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    for name in [name for name in sys.modules if name == "extra" or name.startswith("extra.")]:
        del sys.modules[name]


def test_a_third_party_adds_probes_and_providers_by_being_installed(package):
    found = discovery.probes()
    ours = [probe for probe in found.items if probe.id == "DAT901"]
    assert [probe.name for probe in ours] == ["one"]
    assert "extra.giving.colour" in [provider.source for provider in discovery.providers().items]
    assert not [p for p in discovery.providers().items if p.fact in ("helper", "join")]
    assert "extra" in discovery.packages()


def test_what_cannot_be_read_is_crashed_and_named(package):
    told = {outcome.probe: outcome for outcome in discovery.probes().unreadable}
    assert told["extra.data.broken"].status is Status.CRASHED
    assert told["extra.data.broken"].reason == "ModuleNotFoundError: No module named 'nothing_of_this_name'"
    assert told["extra.data.same_id.same_id"].reason == "the id DAT901 is taken by extra.data.one.one"
    assert (
        told["extra.data.untold"].reason
        == "ValueError: probe DAT902 has no docstring; its first line is the probe's title"
    )
    assert "probe LAB901 is in stage data, whose ids start with DAT" in told["extra.data.misplaced"].reason
    assert "extra.facts" not in told


def test_everything_we_ship_can_be_read_and_every_id_is_unique():
    for found in (discovery.probes(), discovery.providers(), discovery.faults()):
        assert found.unreadable == ()
    names = [probe.name for probe in discovery.probes().items]
    assert len(names) == len(set(names))


# The order in which several providers of one fact are asked: never the alphabet of their modules.
ORDER = {
    "argument_names model_families readable_dataset run_settings seed_setting tokenizer_source update_count": (
        "settings.config_facts settings.trainer_facts"
    ),
    "fp16_setting": "settings.config_facts settings.trainer_facts settings.file_facts",
    "generation_limit": "settings.config_facts settings.trial_facts",
    "schedule_curve": (
        "learning_rate.config_schedule_facts learning_rate.schedule_facts learning_rate.file_schedule_facts"
    ),
    "schedule_pace": "learning_rate.schedule_facts learning_rate.own_step_facts",
    "duration_estimate": "memory.duration_facts memory.speed_duration_facts memory.measured_duration_facts",
    "eval_corpus train_corpus": "corpus.facts audio.dataset_facts",
    "collate eval_dataset train_dataset": "hf_trainer.facts dataloader.facts",
    "metric_trial": "generation.trainer_facts generation.metric_facts",
    "labels_of": "trainer.facts.model_facts first_step.facts",
    "total_steps training_arguments": "hf_trainer.facts settings.file_facts",
}


def test_the_order_of_providers_is_written_down_and_no_two_share_a_priority():
    plan = ProviderPlan((), discovery.providers().items).providers
    several = {
        fact: " ".join(p.function.__module__.removeprefix("probes.facts.") for p in found)
        for fact, found in plan.items()
        if len(found) > 1
    }
    assert several == {fact: order for facts, order in ORDER.items() for fact in facts.split()}
    assert all(len({p.priority for p in found}) == len(found) for found in plan.values())
