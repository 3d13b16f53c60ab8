"""The augmentation section: what is changed at random in the rows of the training set, and in no others."""

from typing import Annotated

from pydantic import Field

from trainer.config.field_types import Count, Number, Section, Share, Whole

Factor = Annotated[Number, Field(ge=0.5, le=2.0)]


class Augmentation(Section):
    speed_factors: tuple[Factor, ...] = Field(
        default=(),
        description="Each clip is played at one of these speeds, such as [0.9, 1.0, 1.1]. A clip that would get longer "
        "than audio.max_length_seconds keeps its own speed. []: no change.",
    )
    noise_snr_db: tuple[Number, Number] | None = Field(
        default=None,
        description="White noise is added at a signal-to-noise ratio between these two, in dB, such as [15, 30]. null: "
        "no noise.",
    )
    noise_share: Share = Field(default=0.5, description="Fraction of the clips that get noise.")
    time_masks: Whole = Field(default=0, description="SpecAugment: stretches of time that are masked in each clip.")
    time_mask_frames: Count = Field(default=40, description="The longest stretch, in frames of 10 ms.")
    time_mask_share: Share = Field(default=0.2, description="The longest stretch, as a fraction of the clip.")
    frequency_masks: Whole = Field(default=0, description="SpecAugment: bands of mel bins that are masked.")
    frequency_mask_bins: Count = Field(default=15, description="The widest band, in mel bins.")

    @property
    def changes_audio(self) -> bool:
        return bool(self.speed_factors or self.noise_snr_db)

    @property
    def masks_features(self) -> bool:
        return bool(self.time_masks or self.frequency_masks)
