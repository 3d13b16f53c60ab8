"""training.keep_fp32: the modules named there compute in float32 while autocast lowers the others."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

from diagnose.common.errors import InputError
from tests.support.small_runs import resumed, trainer
from trainer.models.keep_fp32 import keep_fp32


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 4), nn.Linear(4, 4)
        self.dtypes: dict[str, torch.dtype] = {}

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for name in ("first", "second"):
            x = getattr(self, name)(x)
            self.dtypes[name] = x.dtype
        return x


def halved(model: nn.Module, *given: Any) -> Any:
    with torch.autocast("cpu", dtype=torch.float16):
        return model(*given)


def test_only_the_named_module_is_wide_and_autocast_goes_on_behind_it() -> None:
    block, x = Block(), torch.randn(2, 4)
    keep_fp32(block, ["first"])
    keep_fp32(block, ["first"])  # twice is once
    assert len(block.first._forward_hooks) == 1
    halved(block, x)
    assert block.dtypes == {"first": torch.float32, "second": torch.float16}
    keep_fp32(block, ["*"])
    halved(block, x)
    assert set(block.dtypes.values()) == {torch.float32}


def test_a_module_that_raises_leaves_autocast_as_it_was() -> None:
    block = Block()
    keep_fp32(block, ["second"])
    block.second.register_forward_hook(lambda module, given, output: 1 / 0)
    with torch.autocast("cpu", dtype=torch.float16):
        with pytest.raises(ZeroDivisionError):
            block(torch.randn(2, 4))
        assert torch.is_autocast_enabled("cpu")
    assert not torch.is_autocast_enabled("cpu")


def test_names_of_weights_copies_and_checkpointing_are_untouched() -> None:
    block, x = Block(), torch.randn(2, 4)
    names, plain = list(block.state_dict()), halved(block, x)
    keep_fp32(block, ["second"])
    assert list(block.state_dict()) == names
    twin = copy.deepcopy(block)
    assert halved(twin, x).dtype is torch.float32 and torch.allclose(plain.float(), halved(twin, x), atol=1e-2)
    gradients = []
    for way in (block, lambda x: checkpoint(block, x, use_reentrant=False)):
        block.zero_grad()
        halved(way, x).sum().backward()  # type: ignore[arg-type]
        gradients.append(block.first.weight.grad.clone())  # type: ignore[union-attr]
    assert torch.equal(*gradients) and not torch.is_autocast_enabled("cpu")


def test_a_name_that_is_not_there_is_told_before_training(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^training.keep_fp32: the model has no module '.*' \(nearest: "):
        trainer("mt5", tmp_path, keep_fp32=["decoder.blok.0"])


@pytest.mark.parametrize("architecture", ["mt5"])
def test_a_run_obeys_trains_saves_resumes_and_generates(architecture: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"bf16": True, "keep_fp32": ["decoder.block.0"], "gradient_checkpointing": True}
    settings |= {"save_strategy": "steps", "save_steps": 2, "max_steps": 4}
    run = trainer(architecture, tmp_path, **settings)
    dtypes = set()
    inner = run.model.decoder.block[0].layer[0].SelfAttention.q
    inner.register_forward_hook(lambda module, given, output: dtypes.add(output.dtype))
    outer: set[torch.dtype] = set()
    run.model.encoder.block[0].layer[0].SelfAttention.q.register_forward_hook(
        lambda module, given, output: outer.add(output.dtype)
    )
    run.train()
    assert dtypes == {torch.float32} and outer == {torch.bfloat16}
    again = resumed(architecture, tmp_path, **{**settings, "max_steps": 5})
    assert again.state.global_step == 5
    batch = again.data_collator([again.train_dataset[0]])
    assert again.bundle.generate(again.model, batch).shape[0] == 1
