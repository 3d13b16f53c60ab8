"""Speed perturbation and noise, by torchaudio's own transforms; what a row gets depends on seed, epoch and row alone.

No generator of the run is drawn from, so a resumed run goes on with the same batches, with any number of workers.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from torch import Tensor
    from torchaudio.transforms import SpeedPerturbation

    from trainer.config import Config
    from trainer.config.augmentation_section import Augmentation


def training_augmentation(config: Config) -> WaveformAugmentation | None:
    """What the configuration asks for, None if nothing is changed."""
    wanted, audio = config.augmentation, config.audio
    if not (wanted.changes_audio or wanted.masks_features):
        return None
    return WaveformAugmentation(wanted, audio.sample_rate, audio.max_length_seconds, config.training.seed)


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """torch draws from this seed; afterwards from where it was."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        yield


@dataclass(frozen=True)
class WaveformAugmentation:
    """Changes the audio of a row; `longest` is the limit of a clip in seconds."""

    settings: Augmentation
    sample_rate: int
    longest: float
    run_seed: int = 0

    def of_row(self, samples: Tensor, epoch: int, row: str) -> tuple[Tensor, int]:
        """What a row gets in an epoch, in every process and after a resume; and the seed that it was drawn from."""
        seed = zlib.crc32(f"{self.run_seed} {epoch} {row}".encode())
        return self(samples, seed), seed

    def __call__(self, samples: Tensor, seed: int) -> Tensor:
        with seeded(seed):
            return self._with_noise(self._at_other_speed(samples))

    @cached_property
    def _speed(self) -> SpeedPerturbation:
        from torchaudio.transforms import SpeedPerturbation

        return SpeedPerturbation(self.sample_rate, self.settings.speed_factors)

    def _at_other_speed(self, samples: Tensor) -> Tensor:
        if not self.settings.speed_factors:
            return samples
        changed, _ = self._speed(samples[None])
        return changed[0] if changed.shape[1] <= self.longest * self.sample_rate else samples

    def _with_noise(self, samples: Tensor) -> Tensor:
        from torchaudio.functional import add_noise

        if self.settings.noise_snr_db is None or torch.rand(()) >= self.settings.noise_share:
            return samples
        low, high = self.settings.noise_snr_db
        ratio = low + (high - low) * torch.rand(1)
        return add_noise(samples[None], torch.randn_like(samples)[None], ratio)[0]
