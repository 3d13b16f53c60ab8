"""Datasets, loaders and features: measured without a trace, in child processes, whatever they hold."""

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader, Dataset, IterableDataset

import diagnose
from diagnose import Status
from diagnose.engine.context import NotApplicable
from probes.facts.features.batch_features import features_of
from probes.healthy import healthy


class Noisy(Dataset):
    """Adds noise from generators of every kind, and counts how often it was asked."""

    def __init__(self):
        self.chance, self.asked = np.random.default_rng(0), 0

    def __len__(self):
        return 24

    def __getitem__(self, number):
        self.asked += 1
        noise = self.chance.normal(size=1600) + np.random.normal(size=1600) + torch.randn(1600).numpy()
        audio = (0.1 * noise + np.sin(np.arange(1600) / 5)).astype(np.float32)
        return {"audio": audio, "sampling_rate": 16_000, "transcript": f"câu số {number}"}


def collate(items):
    return {"input_values": torch.tensor(np.stack([item["audio"] for item in items]))}


def status(report, id):
    return next(outcome.status for outcome in report.outcomes if outcome.probe == id)


def test_the_data_stage_leaves_no_trace():
    dataset = Noisy()
    loader = DataLoader(dataset, batch_size=4, shuffle=True, collate_fn=collate, generator=torch.Generator())
    before = (
        dataset.chance.bit_generator.state,
        loader.generator.get_state(),
        torch.get_rng_state(),
        np.random.get_state(),
    )
    facts = {"train_dataset": dataset, "collate": collate, "train_batches": loader, "eval_batches": loader}
    report = diagnose.preflight(stages=["data"], **facts)
    assert report.verdict == "go" and not report.findings, [(f.probe, f.message) for f in report.findings]
    after = (
        dataset.chance.bit_generator.state,
        loader.generator.get_state(),
        torch.get_rng_state(),
        np.random.get_state(),
    )
    assert dataset.asked == 0 and before[0] == after[0] and torch.equal(before[1], after[1])
    assert torch.equal(before[2], after[2]) and (before[3][1] == after[3][1]).all()


class Stream(IterableDataset):
    def __iter__(self):
        return iter([{"labels": torch.tensor([1])}] * 8)


def test_a_stream_and_a_list_of_batches_are_skipped_with_the_reason():
    for batches in (DataLoader(Stream(), batch_size=2), [{"labels": torch.tensor([[1]])}] * 3):
        report = diagnose.preflight(stages=["data"], train_batches=batches)
        assert not report.findings and not report.having(Status.BLOCKED, Status.CRASHED)
        assert status(report, "DAT044") is Status.SKIPPED and status(report, "DAT045") is Status.SKIPPED


class Sometimes(Dataset):
    """Augments one draw in five: two workers often agree by chance."""

    def __len__(self):
        return 8

    def __getitem__(self, number):
        return torch.randn(8) if torch.rand(()) < 0.2 else torch.zeros(8)


def test_a_rare_augmentation_is_not_judged():
    report = diagnose.preflight(select=["DAT045", "DAT046"], train_batches=DataLoader(Sometimes(), num_workers=2))
    assert not report.findings


def test_padding_is_left_out_of_the_features():
    values = torch.cat([torch.full((2, 10), 3.0), torch.zeros(2, 90)], dim=1)
    mask = (torch.arange(100) < 10).long().repeat(2, 1)
    assert features_of([{"input_values": values, "attention_mask": mask}]).mean == pytest.approx(3.0)
    frames = values[:, :, None].repeat(1, 1, 4)
    lengths = {"feat_lens": torch.tensor([100, 10])}
    means = [row.mean for row in features_of([{"feats": frames, **lengths}]).rows]
    assert means == pytest.approx([0.3, 3.0])


def test_a_norm_in_front_makes_raw_features_harmless():
    batches = [(torch.randn(8, 12) * 4 + 12, torch.arange(8)) for _ in range(4)]
    plain, normed = torch.nn.Linear(12, 3), torch.nn.Sequential(torch.nn.BatchNorm1d(12), torch.nn.Linear(12, 3))
    found = [diagnose.preflight(select=["DAT047"], train_batches=batches, model=model) for model in (plain, normed)]
    assert [bool(report.findings) for report in found] == [True, False]


def test_two_datasets_that_scale_differently_are_seen_though_the_collator_is_one():
    items = [{"audio": np.sin(np.arange(1600) / (5 + n)).astype(np.float32)} for n in range(24)]
    loud = [{"audio": 8 * item["audio"]} for item in items]
    train, other = (DataLoader(rows, batch_size=4, collate_fn=collate) for rows in (items, loud))
    (finding,) = diagnose.preflight(select=["DAT049"], train_batches=train, eval_batches=other).findings
    assert "no evaluation row is similar to any training row" in finding.message


@pytest.mark.parametrize("item", [3, "text", None, {"audio": "a.wav"}, {"audio": object()}, ({"a": 1}, 2), [1.5, 2.5]])
def test_items_of_any_kind_are_no_crash(item):
    dataset = [item] * 12
    facts = {"train_dataset": dataset, "collate": list, "train_batches": DataLoader(dataset, collate_fn=list)}
    report = diagnose.preflight(stages=["data"], eval_dataset=dataset, **facts)
    assert not report.having(Status.CRASHED), [(o.probe, o.reason_chain) for o in report.having(Status.CRASHED)]


def test_samples_that_were_divided_twice_are_a_warning():
    audio = (0.3 * np.sin(np.arange(16000) / 20) / 32768).astype(np.float32)
    items = [{"audio": audio, "sampling_rate": 16000}]
    (finding,) = diagnose.preflight(select=["DAT015"], train_dataset=items).findings
    assert finding.severity == "warning" and "scale the samples only once" in finding.fix


def test_a_trainers_own_sets_are_looked_at(tmp_path):
    from tests.support.hf_trainers import trainer_of

    trainer = trainer_of(tmp_path)
    report = diagnose.preflight(stages=["data"], trainer=trainer)
    assert report.verdict == "go" and not report.findings
    looked = {outcome.probe for outcome in report.outcomes if outcome.ran}
    assert {"DAT008", "DAT015", "DAT022", "DAT023", "DAT036", "DAT044", "DAT047", "DAT049"} <= looked
    trainer.eval_dataset = trainer.train_dataset
    report = diagnose.preflight(stages=["data"], trainer=trainer)
    assert {f.probe for f in report.findings} >= {"DAT036"}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["whisper", "e2e", "hybrid", "mt5", "classifier"])
def test_four_seeds_of_a_healthy_subject_have_no_finding_in_the_data(name):
    """`make bench WHAT=healthy` looks at ten seeds, in every stage."""
    for seed in range(4):
        report = diagnose.preflight(stages=["data"], **healthy(name, seed))
        assert report.verdict == "go" and not report.findings, (seed, report.findings)


def test_many_who_read_one_sentence_are_no_repetition():
    items = [
        {"audio": np.sin(np.arange(1600) / (5 + n)).astype(np.float32), "transcript": "mẹ mua cá"} for n in range(12)
    ]
    report = diagnose.preflight(select=["DAT032", "DAT033"], train_dataset=items)
    assert not report.findings and {outcome.status for outcome in report.outcomes} == {Status.PASSED}


def test_the_only_float_inputs_of_a_batch_are_its_features_whatever_their_name():
    wave, mask = torch.randn(4, 500) * 9000, torch.ones(4, 500)
    batch = {"wave": wave, "loss_mask": mask, "labels": torch.randn(4, 2), "number": torch.arange(4)}
    assert features_of([batch]).key == "wave" and features_of([batch]).width == 1
    told = diagnose.preflight(select=["DAT047"], train_batches=[batch], model=torch.nn.Linear(500, 2)).findings
    assert [(finding.probe, finding.where) for finding in told] == [("DAT047", "batches, wave")]
    with pytest.raises(NotApplicable):
        features_of([{**batch, "other": wave}])
