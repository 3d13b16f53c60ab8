"""Whether queries of an attention look at one key alone."""

from math import log
from typing import Any

import torch
from torch import Tensor

DECIDED = 0.9999
ALIKE = 1e-6  # relative: scores of the same key differ by roundings of float32
QUERIES = 32  # so many of the last queries are looked at, in two rows and heads


def share(where: Tensor) -> float:
    return float(where.sum()) / max(where.numel(), 1)


def peaked_share_sdpa(
    query: Tensor, key: Tensor, value: Any, attn_mask: Any = None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None, **_: Any,
) -> float:  # fmt: skip
    """Share of the last queries whose weights lie on one position; attention of this kind does not give its weights."""
    shape = (*query.shape[:-1], key.shape[-2])
    query, key = query.detach()[:2, :2, -QUERIES:].float(), key.detach()[:2, :2].float()
    if query.dim() != 4 or query.shape[1] != key.shape[1]:
        return 0.0
    scores = query @ key.transpose(-1, -2) * (query.shape[-1] ** -0.5 if scale is None else scale)
    mask = torch.ones(shape[-2:], dtype=torch.bool, device=query.device).tril() if is_causal else attn_mask
    if mask is not None:
        mask = mask.detach().expand(shape)[:2, :2, -QUERIES:]
        scores = scores.masked_fill(~mask, float("-inf")) if mask.dtype == torch.bool else scores + mask
    return peaked_share(scores)


def peaked_share(scores: Tensor) -> float:
    """Share of the last queries whose weights lie on one key; keys that are the same, as of one word twice, are one."""
    scores = scores[:2, :2, -QUERIES:].float()
    best = scores.amax(-1, keepdim=True)
    alike = (scores - best).abs() <= ALIKE * best.abs()
    on_one = (scores.softmax(-1) * alike).sum(-1) > DECIDED
    large = best[..., 0].abs() > -log(1 - DECIDED)  # else all are alike because the queries are nought
    return share(on_one & (large | (alike.sum(-1) == 1)))
