"""The hybrid's attention decoder: causal blocks that look at the encoder, and greedy generation with a cache."""

import math

import torch
from torch import LongTensor, Tensor, nn
from transformers.modeling_layers import GradientCheckpointingLayer

from trainer.models.hybrid.conformer import Attention, feed_forward, positions

Kept = tuple[Tensor, Tensor]


class DecoderBlock(GradientCheckpointingLayer):
    """Causal self-attention, attention to the encoder, feed-forward; each behind a norm."""

    def __init__(self, hidden: int, heads: int, ffn: int, dropout: float) -> None:
        super().__init__()
        self.self_norm, self.self_attention = nn.LayerNorm(hidden), Attention(hidden, heads, dropout)
        self.cross_norm, self.cross_attention = nn.LayerNorm(hidden), Attention(hidden, heads, dropout)
        self.feed_forward = feed_forward(hidden, ffn, dropout)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, memory: Kept, mask: Tensor, past: Kept | None = None) -> tuple[Tensor, Kept]:
        """New places look back at the past and at the memory; returns them with the keys and values so far."""
        looked = self.self_norm(x)
        kept = self.self_attention.keys_and_values(looked)
        if past is not None:
            kept = tuple(torch.cat(pair, dim=2) for pair in zip(past, kept, strict=True))
        x = x + self.dropout(self.self_attention(looked, kept, None, causal=past is None))
        x = x + self.dropout(self.cross_attention(self.cross_norm(x), memory, mask))
        return x + self.feed_forward(x), kept


class Decoder(nn.Module):
    """Tokens in, hidden states out."""

    def __init__(self, vocabulary: int, hidden: int, layers: int, heads: int, ffn: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, hidden)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(DecoderBlock(hidden, heads, ffn, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(hidden)

    def memories(self, encoded: Tensor) -> list[Kept]:
        """What each block's cross-attention looks at: the same for every token, so projected once."""
        return [block.cross_attention.keys_and_values(encoded) for block in self.blocks]

    def forward(
        self, tokens: Tensor, memories: list[Kept], valid: Tensor, past: list[Kept] | None = None
    ) -> tuple[Tensor, list[Kept]]:
        """Hidden states of the given tokens, which follow those of the past."""
        start = past[0][0].shape[2] if past else 0
        hidden = self.embedding.embedding_dim
        x = self.embedding(tokens) * math.sqrt(hidden) + positions(start, tokens.shape[1], hidden, tokens.device)
        x, kept = self.dropout(x), []
        for number, (block, memory) in enumerate(zip(self.blocks, memories, strict=True)):
            x, block_kept = block(x, memory, valid[:, None, None, :], past[number] if past else None)
            kept.append(block_kept)
        return self.norm(x), kept


def greedy(
    decoder: Decoder, head: nn.Module, prompt: Tensor, encoded: Tensor, valid: Tensor, end: int, pad: int, limit: int
) -> LongTensor:
    """The likeliest token, again and again, up to `limit` with the prompt; rows that ended are filled with `pad`."""
    memories, past, tokens = decoder.memories(encoded), None, prompt
    ended = torch.zeros(len(prompt), dtype=torch.bool, device=prompt.device)
    new = prompt
    while tokens.shape[1] < limit and not bool(ended.all()):
        hidden, past = decoder(new, memories, valid, past)
        new = head(hidden[:, -1:]).argmax(dim=-1).masked_fill(ended[:, None], pad)
        ended = ended | (new[:, 0] == end)
        tokens = torch.cat([tokens, new], dim=1)
    return tokens
