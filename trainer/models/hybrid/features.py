"""Log-mel features of the hybrid: Kaldi's filter banks, normalized over each utterance."""

import torch
import torchaudio
from torch import Tensor
from transformers.feature_extraction_utils import FeatureExtractionMixin

WINDOW_SECONDS = 0.025


class FbankExtractor(FeatureExtractionMixin):
    """Log-mel frames of 25 ms every 10 ms; `cmvn` normalizes mean and variance over the utterance."""

    def __init__(
        self,
        num_mel_bins: int = 80,
        sampling_rate: int = 16000,
        max_seconds: float = 30.0,
        cmvn: bool = True,
        **kwargs: object,
    ) -> None:
        super().__init__(**kwargs)
        self.num_mel_bins = num_mel_bins
        self.sampling_rate = sampling_rate
        self.max_seconds = max_seconds
        self.cmvn = cmvn

    def __call__(self, audio: Tensor) -> Tensor:
        """Frames by mel bins; shorter audio is padded to one window, longer audio is cut at the limit."""
        window = int(self.sampling_rate * WINDOW_SECONDS)
        audio = audio[: int(self.max_seconds * self.sampling_rate)]
        if len(audio) < window:
            audio = torch.nn.functional.pad(audio, (0, window - len(audio)))
        # dither is noise from the global random state: an epoch would no longer repeat
        frames = torchaudio.compliance.kaldi.fbank(
            audio[None] * 32768.0,
            num_mel_bins=self.num_mel_bins,
            sample_frequency=float(self.sampling_rate),
            dither=0.0,
        )
        return normalize(frames) if self.cmvn else frames


def normalize(frames: Tensor) -> Tensor:
    """Mean 0 and variance 1 per mel bin over time; a constant bin (one frame, silence) becomes 0."""
    centered = frames - frames.mean(dim=0)
    return centered / centered.square().mean(dim=0).add(1e-5).sqrt()
