"""The hybrid's attention decoder: causal blocks with cross-attention, greedy decoding with a cache."""

import math
from typing import cast

import torch
from torch import Tensor, nn
from transformers.modeling_layers import GradientCheckpointingLayer

from trainer.models.hybrid.conformer import Attention, feed_forward, positions

KeysValues = tuple[Tensor, Tensor]


class DecoderBlock(GradientCheckpointingLayer):
    """Causal self-attention, attention to the encoder, feed-forward; each behind a norm."""

    def __init__(self, hidden: int, heads: int, ffn: int, dropout: float) -> None:
        super().__init__()
        self.self_norm, self.self_attention = nn.LayerNorm(hidden), Attention(hidden, heads, dropout)
        self.cross_norm, self.cross_attention = nn.LayerNorm(hidden), Attention(hidden, heads, dropout)
        self.feed_forward = feed_forward(hidden, ffn, dropout)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, memory: KeysValues, mask: Tensor, past: KeysValues | None = None
    ) -> tuple[Tensor, KeysValues]:
        """Hidden states of the new positions, and the keys and values of all positions so far."""
        normed = self.self_norm(x)
        keys, values = self.self_attention.keys_and_values(normed)
        if past is not None:
            keys, values = torch.cat([past[0], keys], dim=2), torch.cat([past[1], values], dim=2)
        x = x + self.dropout(self.self_attention(normed, (keys, values), None, causal=past is None))
        x = x + self.dropout(self.cross_attention(self.cross_norm(x), memory, mask))
        return x + self.feed_forward(x), (keys, values)


class Decoder(nn.Module):
    """Tokens in, hidden states out."""

    def __init__(self, vocabulary: int, hidden: int, layers: int, heads: int, ffn: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, hidden)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(DecoderBlock(hidden, heads, ffn, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(hidden)

    def memories(self, encoded: Tensor) -> list[KeysValues]:
        """Keys and values of each block's cross-attention: the same for every token, so projected once."""
        return [cast("DecoderBlock", block).cross_attention.keys_and_values(encoded) for block in self.blocks]

    def forward(
        self, tokens: Tensor, memories: list[KeysValues], valid: Tensor, past: list[KeysValues] | None = None
    ) -> tuple[Tensor, list[KeysValues]]:
        """Hidden states of the tokens, which follow those of the past, and the new cache."""
        start = past[0][0].shape[2] if past else 0
        hidden = self.embedding.embedding_dim
        x = self.embedding(tokens) * math.sqrt(hidden) + positions(start, tokens.shape[1], hidden, tokens.device)
        x, cache = self.dropout(x), []
        for index, (block, memory) in enumerate(zip(self.blocks, memories, strict=True)):
            x, block_cache = block(x, memory, valid[:, None, None, :], past[index] if past else None)
            cache.append(block_cache)
        return self.norm(x), cache


def greedy(
    decoder: Decoder, head: nn.Module, prompt: Tensor, encoded: Tensor, valid: Tensor, end: int, pad: int, limit: int
) -> Tensor:
    """Greedy decoding up to `limit` tokens, prompt included; rows that ended are filled with `pad`."""
    memories, past, tokens = decoder.memories(encoded), None, prompt
    ended = torch.zeros(len(prompt), dtype=torch.bool, device=prompt.device)
    new = prompt
    while tokens.shape[1] < limit and not bool(ended.all()):
        hidden, past = decoder(new, memories, valid, past)
        new = head(hidden[:, -1:]).argmax(dim=-1).masked_fill(ended[:, None], pad)
        ended = ended | (new[:, 0] == end)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
