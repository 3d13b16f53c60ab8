"""The demo's own configurations on corpora of the demo's generator: the cheap stages find nothing to warn of."""

import pytest

import diagnose
from diagnose import Severity
from trainer.demo.corpus import make_corpus
from trainer.demo.corpus_plan import CorpusSize
from trainer.demo.run import settings
from trainer.pipeline.steps import data_step

STAGES = ("environment", "config", "data", "labels", "tokenizer")
MODELS = ("whisper", "e2e", "hybrid", "mt5")
SMALL = CorpusSize(videos=12, sentences_per_video=5, unseen_videos=1, documents_per_video=6)


def corpus(folder, seed, size=SMALL):
    """A corpus of the demo, cleaned and split for every configuration."""
    root = folder / f"corpus-{seed}"
    make_corpus(root, seed, size, workers=1)
    return root


def alarms(model, seed, root):
    resolved = settings(model, seed, root)
    data_step(resolved.config)
    report = diagnose.preflight(stages=STAGES, config=resolved)
    assert report.exit_code == 0, report.headline
    return [(f.probe, f.where, f.message) for f in report.findings if f.severity is not Severity.NOTE]


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    return corpus(tmp_path_factory.mktemp("demo"), seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_a_demo_configuration_gives_no_alarm(one, model):
    assert alarms(model, 3, one) == []


@pytest.mark.bench
@pytest.mark.parametrize("seed", range(10))
def test_ten_corpora_and_seeds_give_no_alarm(tmp_path, seed):
    root = corpus(tmp_path, seed, CorpusSize(videos=40, sentences_per_video=8, unseen_videos=1, documents_per_video=10))
    assert {model: alarms(model, seed, root) for model in MODELS} == {model: [] for model in MODELS}
