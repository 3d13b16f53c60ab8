"""Healthy runs of several processes give no finding and leave nothing behind."""

import os
import tempfile

import psutil
import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel

import diagnose
from probes.facts.distributed.process_group import answers_of
from probes.facts.distributed.ranks import measure_ranks
from probes.healthy import NAMES, healthy
from tests.probes.distributed.support import ROWS, healthy_rank, look, only


@pytest.mark.parametrize("name", NAMES)
def test_a_healthy_subject_in_two_processes_gives_no_finding_and_every_probe_looks(name):
    findings, unlooked = look(**only(healthy(name)))
    assert not findings and not unlooked


def test_weights_that_differ_before_the_wrap_are_harmless():
    ranks = measure_ranks(lambda rank, processes: healthy_rank(rank, processes), 2).ranks
    drawn = answers_of(lambda rank, processes: float(nn.Linear(4, 2).weight.sum()), 2)
    assert drawn[0] != drawn[1], "processes of a real run begin apart"
    assert len({rank.steps for rank in ranks}) == 1 and all(w.before != w.after for w in ranks[0].steps.weights)
    findings, unlooked = look(healthy_rank)
    assert not findings and unlooked == {"DST005": "distributed_evaluation: not given: evaluate"}


def test_without_the_facts_it_is_skipped_by_name():
    report = diagnose.preflight(stages=["distributed"], **healthy("classifier"))
    assert {outcome.reason for outcome in report.outcomes} == {"not given: processes"}
    report = diagnose.preflight(stages=["distributed"], model=nn.Linear(2, 2), processes=2)
    assert {outcome.reason for outcome in report.outcomes} == {"not given: rank_facts"}
    _, unlooked = look(healthy_rank, processes=1)
    assert unlooked["DST001"].endswith("the run has one process")


def test_one_batch_that_is_repeated_to_keep_step_is_no_finding():
    def rank_facts(rank, processes):
        return {"train_batches": [ROWS.tensors]}

    assert not look(rank_facts)[0]


def test_a_run_that_makes_the_group_itself_keeps_it():
    def rank_facts(rank, processes):
        torch.distributed.init_process_group("gloo")  # from the environment, as under torchrun
        assert torch.distributed.get_rank() == rank and os.environ["LOCAL_WORLD_SIZE"] == str(processes)
        return {**healthy_rank(rank, processes), "model": DistributedDataParallel(nn.Linear(4, 2))}

    findings, unlooked = look(rank_facts)
    assert not findings and set(unlooked) == {"DST005"}


def test_nothing_is_left_behind(capfd, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def rank_facts(rank, processes):
        print("out loud")
        os.write(2, b"and louder")
        tempfile.mkdtemp()
        return healthy_rank(rank, processes)

    before, state, children = dict(os.environ), torch.get_rng_state(), psutil.Process().children()
    look(rank_facts)
    assert dict(os.environ) == before and torch.equal(state, torch.get_rng_state())
    assert not torch.distributed.is_initialized() and psutil.Process().children() == children
    assert not list(tmp_path.iterdir())
    assert capfd.readouterr() == ("", "")


def trainer_of(folder):
    from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments

    facts = healthy("mt5")
    items = [facts["train_dataset"][number] for number in range(36)]
    arguments = Seq2SeqTrainingArguments(
        str(folder), max_steps=20, warmup_steps=5, eval_strategy="steps", per_device_train_batch_size=4,
        predict_with_generate=True, remove_unused_columns=False, report_to="none", save_strategy="no",
    )  # fmt: skip
    data = {"train_dataset": items[:25], "eval_dataset": items[25:]}  # which nobody can divide by two
    metrics = {"compute_metrics": lambda given: {"rows": float(len(given.predictions))}}
    return Seq2SeqTrainer(facts["model"], arguments, facts["collate"], **data, **metrics)


def test_a_healthy_trainer_of_transformers_gives_no_finding(tmp_path):
    findings, unlooked = look(lambda rank, processes: trainer_of(tmp_path))
    assert not findings and not unlooked


@pytest.mark.slow
@pytest.mark.parametrize("model", ["hybrid", "mt5"])
def test_a_run_of_our_own_trainer_gives_no_finding(tmp_path, model):
    from trainer.demo.corpus import make_corpus
    from trainer.demo.corpus_plan import CorpusSize
    from trainer.demo.run import settings
    from trainer.pipeline.steps import data_step

    make_corpus(
        tmp_path, 3, CorpusSize(videos=6, sentences_per_video=4, unseen_videos=1, documents_per_video=6), workers=1
    )
    resolved = settings(model, 3, tmp_path)
    data_step(resolved.config)
    report = diagnose.preflight(stages=["distributed"], config=resolved, processes=2)
    assert report.verdict == "go" and all(outcome.status == "passed" for outcome in report.outcomes), report.outcomes
