"""Values beyond what fp16 holds, put into real models in many ways; and large values that do no harm."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from tests.support.nan_models import Case, case

Put = Callable[[Case], None]
PARTS: Mapping[str, Mapping[str, str]] = {
    "whisper": {
        "wide": "model.encoder.layers.0.fc1",
        "narrow": "model.decoder.layers.1.fc2",
        "norm": "model.encoder.layers.1.final_layer_norm",
        "query": "model.encoder.layers.0.self_attn.q_proj",
        "attention": "model.decoder.layers.0.encoder_attn",
        "layer": "model.encoder.layers.0",
        "front": "model.encoder.conv1",
        "head": "proj_out",
        "table": "model.decoder.embed_tokens",
    },
    "e2e": {
        "wide": "decoder.model.decoder.layers.0.fc1",
        "narrow": "decoder.model.decoder.layers.1.fc2",
        "norm": "decoder.model.decoder.layers.1.final_layer_norm",
        "query": "decoder.model.decoder.layers.0.encoder_attn.q_proj",
        "attention": "decoder.model.decoder.layers.0.self_attn",
        "layer": "decoder.model.decoder.layers.0",
        "front": "encoder.feature_extractor.conv_layers.0.conv",
        "head": "decoder.lm_head",
        "table": "decoder.model.decoder.embed_tokens",
    },
    "hybrid": {
        "wide": "encoder.layers.0.linear1",
        "narrow": "decoder.layers.1.linear2",
        "norm": "encoder.layers.1.norm1",
        "query": "encoder.layers.0.self_attn",
        "attention": "decoder.layers.0.multihead_attn",
        "layer": "encoder.layers.0",
        "front": "subsample",
        "head": "head",
        "table": "embed",
    },
    "mt5": {
        "wide": "encoder.block.0.layer.1.DenseReluDense.wi_0",
        "narrow": "decoder.block.1.layer.2.DenseReluDense.wo",
        "norm": "encoder.block.1.layer.0.layer_norm",
        "query": "encoder.block.0.layer.0.SelfAttention.q",
        "attention": "decoder.block.0.layer.1.EncDecAttention",
        "layer": "encoder.block.0",
        "front": "encoder.block.0.layer.0.SelfAttention.v",
        "head": "lm_head",
        "table": "shared",
    },
}


def overflowing(architecture: str, name: str, seed: int = 0) -> Case:
    broken = case(architecture, seed)
    broken.others["parts"] = PARTS[architecture]
    {**OVERFLOWS, **HARMLESS}[name](broken)
    return broken


def part(case: Case, name: str) -> nn.Module:
    return case.model.get_submodule(case.others["parts"][name])


def first(change: Callable[[torch.Tensor], torch.Tensor], output: Any) -> Any:
    """Changes the first tensor of what a module gives."""
    if isinstance(output, tuple):
        return (change(output[0]), *output[1:])
    return change(output)


def after(name: str, change: Callable[[torch.Tensor], torch.Tensor]) -> Put:
    return lambda case: part(case, name).register_forward_hook(lambda m, given, output: first(change, output)) and None


def before(name: str, change: Callable[[torch.Tensor], torch.Tensor]) -> Put:
    def put(case: Case) -> None:
        part(case, name).register_forward_pre_hook(lambda m, given: (change(given[0]), *given[1:]))

    return put


def grown(name: str, factor: float) -> Put:
    def put(case: Case) -> None:
        with torch.no_grad():
            next(part(case, name).parameters()).mul_(factor)

    return put


def eager(case: Case) -> None:
    """Attention whose scores are a result of their own."""
    if hasattr(case.model, "set_attn_implementation"):
        case.model.set_attn_implementation("eager")
    queries = case.others["parts"]["query"]
    keys = queries.replace("q_proj", "k_proj").replace("SelfAttention.q", "SelfAttention.k")
    if keys == queries:  # one module holds both
        return grown("query", 1e4)(case)
    for name in (queries, keys):
        case.model.get_submodule(name).register_forward_hook(lambda m, given, output: times(3e3)(output))


def times(factor: float) -> Callable[[torch.Tensor], torch.Tensor]:
    """So that the largest of any tensor becomes the factor."""
    return lambda x: x * (factor / x.detach().float().abs().max().clamp(min=1e-3)).item()


OVERFLOWS: Mapping[str, Put] = {
    "feed_forward_weights": grown("wide", 1e7),
    "feed_forward_output": grown("narrow", 1e7),
    "logits": grown("head", 1e7),
    "front_end": grown("front", 1e8),
    "attention_scores": eager,
    "embedding_scaled": after("table", times(2e5)),
    "residual_stream": after("layer", times(1.5e5)),
    "residual_sum": after("layer", lambda x: times(6e4)(x) + times(6e4)(x)),
    "norm_input": before("norm", times(3e5)),
    "norm_output": after("norm", times(1e5)),
    "attention_output": after("attention", times(8e4)),
    "squares_in_a_layer": after("layer", lambda x: x + times(1e-2)(times(400.0)(x) * times(400.0)(x))),
    "power_in_a_layer": after("wide", lambda x: x + times(1e-2)(times(400.0)(x) ** 2)),
    "exponential": after("wide", lambda x: x + times(1e-2)((times(3.0)(x) + 10).exp())),
    "sum_over_an_axis": after("wide", lambda x: x + times(1e-2)((times(1.0)(x) + 5e3).sum(-1, keepdim=True))),
    "running_sum": after("wide", lambda x: x + times(1e-2)((times(1.0)(x) + 5e3).cumsum(-1))),
    "product_of_matrices": after(
        "wide", lambda x: x + times(1e-2)(times(300.0)(x) @ times(300.0)(x).transpose(-1, -2) @ x)
    ),
    "cast_before_linear": before("narrow", lambda x: times(2e5)(x.float())),
    "weight_beyond": grown("narrow", 1e9),
    "scaled_back": after("narrow", lambda x: times(1.0)(times(7e4)(x))),
}
HARMLESS: Mapping[str, Put] = {
    "large_but_within": after("wide", lambda x: times(1.0)(times(6e4)(x))),
    "mask_of_float32": after(
        "wide", lambda x: x + x.masked_fill(x > x.mean(-1, keepdim=True), torch.finfo(torch.float32).min).softmax(-1)
    ),
    "added_mask": after(
        "wide", lambda x: x + (x + torch.tensor([0.0] + [-1e9] * (x.shape[-1] - 1), dtype=x.dtype)).softmax(-1)
    ),
    "log_of_nought": after("wide", lambda x: x + torch.where(x == x, x * 0, torch.arange(x.shape[-1]).to(x).log())),
}
