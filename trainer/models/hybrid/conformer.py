"""A Conformer encoder independent of padding: masked convolutions, layer norm, chunked attention."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers.modeling_layers import GradientCheckpointingLayer


def positions(start: int, length: int, hidden: int, device: torch.device) -> Tensor:
    """Sinusoidal position embeddings for `length` positions from `start` on."""
    rates = torch.exp(torch.arange(0, hidden, 2, device=device) * (-math.log(10000.0) / hidden))
    angles = torch.arange(start, start + length, device=device)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


def valid_frames(lengths: Tensor, width: int) -> Tensor:
    """A mask of [rows, width], true where a row has a frame of its own."""
    return torch.arange(width, device=lengths.device) < lengths[:, None]


def attention_mask(valid: Tensor, chunk_size: int) -> Tensor:
    """Attention mask [rows, 1, frames, frames]: real frames of the same chunk or an earlier one."""
    mask = valid[:, None, None, :]
    if not chunk_size:
        return mask
    chunk = torch.arange(valid.shape[1], device=valid.device) // chunk_size
    return mask & (chunk[None, :] <= chunk[:, None])


class Attention(nn.Module):
    """Multi-head attention; keys and values may come from a cache."""

    def __init__(self, hidden: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.query, self.key = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)
        self.value, self.out = nn.Linear(hidden, hidden), nn.Linear(hidden, hidden)

    def keys_and_values(self, source: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of `source`, [rows, heads, positions, size]; generation caches them."""
        return self._split(self.key(source)), self._split(self.value(source))

    def forward(
        self, x: Tensor, keys_values: tuple[Tensor, Tensor], mask: Tensor | None, causal: bool = False
    ) -> Tensor:
        """Attention of every position of x to the keys and values."""
        dropout = self.dropout if self.training else 0.0
        attended = functional.scaled_dot_product_attention(
            self._split(self.query(x)), *keys_values, attn_mask=mask, dropout_p=dropout, is_causal=causal
        )
        return self.out(attended.transpose(1, 2).flatten(2))

    def _split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)


def feed_forward(hidden: int, ffn: int, dropout: float) -> nn.Sequential:
    """Norm, widen, SiLU, narrow."""
    return nn.Sequential(
        nn.LayerNorm(hidden),
        nn.Linear(hidden, ffn),
        nn.SiLU(),
        nn.Dropout(dropout),
        nn.Linear(ffn, hidden),
        nn.Dropout(dropout),
    )


class ConvolutionModule(nn.Module):
    """Gated depthwise convolution over time; padding is zeroed before it, and it is causal with chunks."""

    def __init__(self, hidden: int, kernel: int, dropout: float, causal: bool) -> None:
        super().__init__()
        self.reach = (kernel - 1, 0) if causal else ((kernel - 1) // 2, kernel // 2)
        self.norm = nn.LayerNorm(hidden)
        self.gate = nn.Linear(hidden, 2 * hidden)
        self.depthwise = nn.Conv1d(hidden, hidden, kernel, groups=hidden)
        self.inner_norm = nn.LayerNorm(hidden)
        self.out = nn.Linear(hidden, hidden)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, valid: Tensor) -> Tensor:
        """Mix neighbouring frames of one row."""
        gated = functional.glu(self.gate(self.norm(x)), dim=-1) * valid[..., None]
        mixed = self.depthwise(functional.pad(gated.transpose(1, 2), self.reach)).transpose(1, 2)
        return self.dropout(self.out(functional.silu(self.inner_norm(mixed))))


class ConformerBlock(GradientCheckpointingLayer):
    """Half a feed-forward, attention, convolution, half a feed-forward, norm."""

    def __init__(self, hidden: int, heads: int, ffn: int, kernel: int, dropout: float, causal: bool) -> None:
        super().__init__()
        self.before = feed_forward(hidden, ffn, dropout)
        self.attention_norm = nn.LayerNorm(hidden)
        self.attention = Attention(hidden, heads, dropout)
        self.dropout = nn.Dropout(dropout)
        self.convolution = ConvolutionModule(hidden, kernel, dropout, causal)
        self.after = feed_forward(hidden, ffn, dropout)
        self.norm = nn.LayerNorm(hidden)

    def forward(self, x: Tensor, valid: Tensor, mask: Tensor) -> Tensor:
        """One block over the frames of each row."""
        x = x + 0.5 * self.before(x)
        normed = self.attention_norm(x)
        x = x + self.dropout(self.attention(normed, self.attention.keys_and_values(normed), mask))
        x = x + self.convolution(x, valid)
        return self.norm(x + 0.5 * self.after(x))


class Subsampling(nn.Module):
    """Two convolutions of stride 2 over time: a quarter of the frames, and at least one."""

    def __init__(self, features: int, channels: int, hidden: int) -> None:
        super().__init__()
        self.first = nn.Conv1d(features, channels, 3, stride=2, padding=1)
        self.second = nn.Conv1d(channels, hidden, 3, stride=2, padding=1)

    @staticmethod
    def lengths(frames: Tensor) -> Tensor:
        """Frames in, frames out: halved twice, rounded up."""
        return (frames + 3) // 4

    def forward(self, feats: Tensor, lengths: Tensor) -> Tensor:
        """Zero the padding of each row before each convolution."""
        x = functional.gelu(self.first((feats * valid_frames(lengths, feats.shape[1])[..., None]).transpose(1, 2)))
        x = x * valid_frames((lengths + 1) // 2, x.shape[2])[:, None]
        return functional.gelu(self.second(x)).transpose(1, 2)
