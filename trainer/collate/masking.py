"""SpecAugment on log-mel features, by torchaudio's own transform."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trainer.data.augmentation import seeded

if TYPE_CHECKING:
    from torch import Tensor
    from torchaudio.transforms import SpecAugment

    from trainer.config import Config
    from trainer.config.augmentation_section import Augmentation

SEED = "augmentation_seed"  # the key of an item that is to be masked; rows of other sets have none


def feature_masking(config: Config) -> FeatureMasking | None:
    """What the configuration asks for, None if nothing is masked."""
    return FeatureMasking(config.augmentation) if config.augmentation.masks_features else None


@dataclass(frozen=True)
class FeatureMasking:
    """Masks stretches of time and bands of mel bins with the mean of the clip."""

    settings: Augmentation

    def __call__(self, features: Tensor, item: Mapping[str, Any]) -> Tensor:
        """Mel bins by frames, those of padding left out."""
        if SEED not in item:
            return features
        with seeded(item[SEED]):
            return self._masks(features[None])[0]

    @cached_property
    def _masks(self) -> SpecAugment:
        from torchaudio.transforms import SpecAugment

        return SpecAugment(
            n_time_masks=self.settings.time_masks,
            time_mask_param=self.settings.time_mask_frames,
            n_freq_masks=self.settings.frequency_masks,
            freq_mask_param=self.settings.frequency_mask_bins,
            p=self.settings.time_mask_share,
        )
