"""Wav2Vec2's group norm over time, without padding: each row's own frames only."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import Wav2Vec2Model


class MaskedGroupNorm(nn.GroupNorm):
    """Mean and variance over a row's own frames: a row is normalized alike in any batch."""

    lengths: Tensor | None = None

    def forward(self, x: Tensor) -> Tensor:
        """Normalize [rows, channels, frames], 0 behind each row's end; without lengths every frame counts."""
        if self.lengths is None:
            return super().forward(x)
        # row by row: sums under a mask touch the whole waveform ten times, which costs three times as much
        rows = zip(x, self.lengths.tolist(), strict=True)
        return torch.cat([self._row(row[None, :, :length], x.shape[2] - length) for row, length in rows])

    def _row(self, row: Tensor, padding: int) -> Tensor:
        return functional.pad(super().forward(row), (0, padding))


def ignore_padding(encoder: Any) -> None:
    """Pass the row lengths to the group norm of an encoder's first convolution, if it has one."""
    norm = getattr(encoder.feature_extractor.conv_layers[0], "layer_norm", None)
    if type(norm) is nn.GroupNorm:
        norm.__class__ = MaskedGroupNorm  # the same module and parameters: nothing is initialized again
        encoder.register_forward_pre_hook(_set_lengths, with_kwargs=True)


def _set_lengths(encoder: Wav2Vec2Model, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    mask = kwargs.get("attention_mask", args[1] if len(args) > 1 else None)
    first = encoder.feature_extractor.conv_layers[0]
    kernel, stride = first.conv.kernel_size[0], first.conv.stride[0]
    first.layer_norm.lengths = None if mask is None else (mask.sum(dim=1) - kernel) // stride + 1
