"""The trainer: its throughput over a bare loop, the padding it computes, and what kills do to it."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from tests.bench import kills, throughput
from tests.bench.report import Measured
from tests.support import recording_kill_runs
from trainer.data.length_sampler import LengthBatchSampler, padding_waste

EPOCHS = 5


def padding() -> Measured:
    """The demo's clips, and a long-tailed corpus: most clips short, some up to 30 seconds."""
    drawn = np.random.default_rng(0).lognormal(1.2, 0.9, 20_000)
    long_tailed = np.clip(drawn, 0.5, 30.0).tolist()
    figures = {**waste("demo", demo_lengths()), **waste("long_tailed", long_tailed)}
    return Measured(figures, f"batches of 8, all of {EPOCHS} epochs")


def waste(corpus: str, lengths: list[float], size: int = 8) -> dict[str, float]:
    """The share of padding in the batches the loop trains on; beside it, in batches drawn at random."""
    return {
        corpus: _over_epochs(lengths, LengthBatchSampler(lengths, size)),
        f"{corpus}_in_random_batches": _over_epochs(lengths, LengthBatchSampler(lengths, size, by_length=False)),
    }


def demo_lengths() -> list[float]:
    """Seconds of each training clip of the demo corpus."""
    from trainer.data.dataset import open_split
    from trainer.demo.corpus import make_corpus
    from trainer.demo.run import settings
    from trainer.pipeline.steps import data_step

    with tempfile.TemporaryDirectory() as folder:
        make_corpus(Path(folder), 0)
        config = settings("hybrid", 0, Path(folder)).config
        data_step(config)
        return open_split(config, "train").lengths()


def _over_epochs(lengths: list[float], sampler: LengthBatchSampler) -> float:
    batches = []
    for epoch in range(EPOCHS):
        sampler.set_epoch(epoch)
        batches += list(sampler)
    return padding_waste(lengths, batches)


MEASUREMENTS = {
    **{f"throughput/{model}": partial(throughput.measure, model) for model in throughput.MODELS},
    "padding_waste": padding,
    **{f"kills/{model}": partial(kills.measure, model) for model in kills.MODELS},
    "recording_kills": recording_kill_runs.measure,
}
