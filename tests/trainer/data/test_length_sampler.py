"""Batches by length: every row once, little padding, another order each epoch, and exactly resumable."""

import random

import numpy as np
import pytest
import torch
from accelerate import Accelerator, skip_first_batches
from accelerate.data_loader import BatchSamplerShard
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils.data import DataLoader

from trainer.data.length_sampler import LengthBatchSampler, padding_waste


def demo_like() -> np.ndarray:
    """Sentences of a closed vocabulary, several voices and speeds: 1 to 6 s."""
    return np.clip(np.random.default_rng(0).normal(2.6, 0.8, 1500), 1.0, 6.0)


def long_tailed() -> np.ndarray:
    return np.clip(np.random.default_rng(1).lognormal(1.2, 0.9, 5000), 0.5, 30.0)


CORPORA = {"demo-like": demo_like, "long-tailed": long_tailed}
any_lengths = st.lists(st.floats(0, 30) | st.integers(0, 30), max_size=60)
sizes = st.integers(1, 9)


def batches(sampler, epoch=0):
    sampler.set_epoch(epoch)
    return list(sampler)


@pytest.mark.parametrize("batch_size", [8, 16, 32])
@pytest.mark.parametrize("corpus", CORPORA)
def test_less_than_a_tenth_of_the_frames_is_padding(corpus, batch_size, capsys):
    lengths = CORPORA[corpus]()
    sampler = LengthBatchSampler(lengths, batch_size)
    waste = [padding_waste(lengths, batches(sampler, epoch)) for epoch in range(5)]
    mixed = padding_waste(lengths, LengthBatchSampler(lengths, batch_size, by_length=False))
    with capsys.disabled():
        print(f"\n{corpus}, batch {batch_size}: padding {max(waste):.1%} of frames by length, {mixed:.1%} at random")
    assert max(waste) < 0.10 < mixed


def test_the_waste_is_what_a_padded_batch_shows():
    """Measured on real tensors: zeros after pad_sequence over all elements."""
    lengths = [3, 5, 2, 8, 8, 1]
    grouped = [[0, 1, 2], [3, 4], [5]]
    padded = [torch.nn.utils.rnn.pad_sequence([torch.ones(lengths[i]) for i in batch]) for batch in grouped]
    zeros, total = sum(int((batch == 0).sum()) for batch in padded), sum(batch.numel() for batch in padded)
    assert padding_waste(lengths, grouped) == pytest.approx(zeros / total)
    assert padding_waste([], []) == padding_waste([0.0], [[0]]) == 0.0


@settings(deadline=None)
@given(any_lengths, sizes, st.integers(0, 2**40), st.integers(0, 50), st.booleans(), st.booleans(), st.booleans())
def test_every_row_comes_once_and_the_short_batch_last(lengths, size, seed, epoch, shuffle, by_length, longest_first):
    sampler = LengthBatchSampler(lengths, size, seed, shuffle, by_length, longest_first)
    found = batches(sampler, epoch)
    assert sorted(index for batch in found for index in batch) == list(range(len(lengths)))
    assert len(found) == len(sampler) == -(-len(lengths) // size)
    assert all(len(batch) == size for batch in found[:-1])
    assert found == batches(LengthBatchSampler(lengths, size, seed, shuffle, by_length, longest_first), epoch)
    if not shuffle:
        assert [index for batch in found for index in batch] == list(range(len(lengths)))


@settings(deadline=None)
@given(any_lengths, sizes)
def test_never_more_padding_than_ten_percent_over_the_best_order(lengths, size):
    """Jitter may cost its tenth, and the short batch one batch of the longest; no arrangement costs more than that."""
    found = batches(LengthBatchSampler(lengths, size))
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    best = sum(lengths[order[start]] * len(order[start : start + size]) for start in range(0, len(order), size))
    cost = sum(max(lengths[i] for i in batch) * len(batch) for batch in found)
    assert cost <= 1.1 * (best + max(lengths, default=0) * size) + 1e-9


def test_epochs_differ_in_batches_and_order():
    lengths = long_tailed()
    sampler = LengthBatchSampler(lengths, 16)
    first, second = batches(sampler, 0), batches(sampler, 1)
    same = {frozenset(batch) for batch in first} & {frozenset(batch) for batch in second}
    assert len(same) < len(first) / 100, "rows meet others"
    rank = np.corrcoef(range(len(first)), [lengths[batch].mean() for batch in first])[0, 1]
    assert abs(rank) < 0.2, "short and long batches are mixed"
    partners = {index for epoch in range(8) for batch in batches(sampler, epoch) if 7 in batch for index in batch}
    assert len(partners) > 60, "in 8 epochs a row meets far more than one batch of others"


def test_rows_of_one_length_are_mixed_too():
    sampler = LengthBatchSampler([0.0] * 64, 8)
    assert {frozenset(batch) for batch in batches(sampler, 0)} != {frozenset(batch) for batch in batches(sampler, 1)}


def test_the_global_random_state_is_not_touched():
    states = random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist()
    batches(LengthBatchSampler(demo_like(), 8), 3)
    assert states == (random.getstate(), np.random.get_state()[1].tolist(), torch.get_rng_state().tolist())


def test_the_longest_batch_can_come_first():
    lengths = long_tailed()
    sampler = LengthBatchSampler(lengths, 16, longest_first=True)
    first = batches(sampler, 0)
    assert lengths[first[0]].max() == lengths.max() and lengths[first[0]].min() > 0.8 * lengths.max()
    plain = batches(LengthBatchSampler(lengths, 16), 0)
    assert sorted(map(sorted, first)) == sorted(map(sorted, plain)), "the same batches, one of them moved"
    assert batches(sampler, 1) == batches(LengthBatchSampler(lengths, 16), 1)


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("shuffle", [True, False])
def test_a_prepared_loader_skips_to_exactly_the_rest(workers, shuffle):
    lengths = demo_like()[:103]
    sampler = LengthBatchSampler(lengths, 8, shuffle=shuffle)
    loader = DataLoader(torch.arange(103), batch_sampler=sampler, num_workers=workers)
    loader = Accelerator(cpu=True).prepare(loader)
    assert len(loader) == 13 and loader.total_batch_size == 8
    for epoch in (0, 2):
        loader.set_epoch(epoch)
        whole = [batch.tolist() for batch in loader]
        assert whole == batches(LengthBatchSampler(lengths, 8, shuffle=shuffle), epoch)
        rest = skip_first_batches(loader, 5)
        rest.set_epoch(epoch)
        rest.batch_sampler.batch_sampler.set_epoch(epoch)
        assert [batch.tolist() for batch in rest] == whole[5:]


@settings(deadline=None)
@given(st.integers(1, 70), sizes, st.integers(2, 4))
def test_shards_lose_no_row_and_are_even(rows, size, processes):
    """As accelerate gives them to several processes."""
    lengths = np.linspace(1, 9, rows)
    shards = [list(BatchSamplerShard(LengthBatchSampler(lengths, size), processes, rank)) for rank in range(processes)]
    assert len({len(shard) for shard in shards}) == 1
    assert {index for shard in shards for batch in shard for index in batch} == set(range(rows))
