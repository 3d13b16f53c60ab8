"""The origin is found however the model is run: checkpointed, compiled, wrapped, shared, scaled, generating."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.distributed
from torch import nn
from torch.utils.checkpoint import checkpoint

from probes.facts.nonfinite.bisect import bisect_batch
from probes.facts.nonfinite.traced_step import AutocastSetup, find_origin, step_is_finite
from probes.facts.nonfinite.types import Origin
from tests.support.nan_models import Case, case


def rooted(x: torch.Tensor) -> torch.Tensor:
    return x + (x * 0).abs().sqrt()  # finite; its slope is not


def logged(x: torch.Tensor) -> torch.Tensor:
    return x - (x * 0).log()


def told(found: Origin | None) -> tuple[str, str, int, str, bool]:
    assert found is not None
    return found.phase, found.module, found.call, found.operation, "test_execution_modes.py" in found.line


@pytest.mark.parametrize("reentrant", [True, False])
@pytest.mark.parametrize("architecture", ["whisper", pytest.param("mt5", marks=pytest.mark.slow)])
def test_gradient_checkpointing(architecture: str, reentrant: bool) -> None:
    broken: Any = case(architecture)
    broken.model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": reentrant})
    broken.after(rooted)
    assert told(find_origin(broken.subject(), broken.batch)) == ("backward pass", broken.name, 1, "div", True)
    broken.after(logged)
    assert told(find_origin(broken.subject(), broken.batch)) == ("forward pass", broken.name, 1, "log", True)


class Layer(nn.Linear):
    """A fault in its second call, also when that is repeated."""

    def forward(self, hidden: torch.Tensor, number: int = 0) -> torch.Tensor:
        made = super().forward(hidden)
        return rooted(made) if number == 2 else made


class Shared(nn.Module):
    """One layer three times, embedding and head with one weight, a change in place, a nested output."""

    def __init__(self, again: Any = lambda layer, hidden, number: layer(hidden)) -> None:
        super().__init__()
        self.embed, self.layer, self.head = nn.Embedding(10, 8), Layer(8, 8), nn.Linear(8, 10, bias=False)
        self.head.weight = self.embed.weight
        self.again = again

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> dict[str, Any]:
        hidden = self.embed(x)
        for number in (1, 2, 3):
            hidden = self.again(self.layer, hidden, number)
        hidden = hidden.clone()
        hidden[:, 0] += 1.0
        loss = nn.functional.cross_entropy(self.head(hidden).flatten(0, 1), y.flatten())
        return {"all": (hidden, [{"loss": loss}])}


def loss_of(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
    return model(**batch)["all"][1][0]["loss"]


@pytest.fixture
def batch() -> dict[str, torch.Tensor]:
    return {"x": torch.arange(20).view(4, 5) % 10, "y": torch.arange(20).view(4, 5) % 10}


@pytest.mark.parametrize("reentrant", [None, True, False])
def test_the_guilty_call_of_a_module_that_is_called_thrice(reentrant: bool | None, batch: Any) -> None:
    def again(layer: nn.Module, hidden: torch.Tensor, number: int) -> torch.Tensor:
        if reentrant is None:
            return layer(hidden, number)
        return checkpoint(layer, hidden, number, use_reentrant=reentrant)

    found = find_origin(AutocastSetup(Shared(again), loss_of), batch)
    assert told(found) == ("backward pass", "layer", 2, "div", True)


def test_a_tied_weight_is_named_once(batch: Any) -> None:
    model = Shared()
    with torch.no_grad():
        model.head.weight[3, 2] = float("nan")
    found = bisect_batch(AutocastSetup(model, loss_of), batch).origin
    assert found is not None and (found.phase, found.module) == ("weights", "embed.weight")


@pytest.mark.slow
def test_a_compiled_model_is_replayed_as_it_was_written() -> None:
    broken = case("hybrid")
    broken.after(logged)
    compiled: Any = torch.compile(broken.model, backend="eager")
    subject = AutocastSetup(compiled, broken.compute_loss, broken.optimizer)
    assert not step_is_finite(subject, broken.batch)
    assert told(find_origin(subject, broken.batch)) == ("forward pass", broken.name, 1, "log", True)


@pytest.fixture
def group(tmp_path: Path) -> Iterator[None]:
    torch.distributed.init_process_group("gloo", init_method=f"file://{tmp_path}/meet", rank=0, world_size=1)
    yield
    torch.distributed.destroy_process_group()


def test_a_model_shared_between_processes_needs_none_of_the_others(group: None) -> None:
    broken = case("whisper")
    broken.after(rooted)
    shared = nn.parallel.DistributedDataParallel(broken.model)
    subject = AutocastSetup(shared, broken.compute_loss, broken.optimizer)
    waited: list[None] = []
    shared.register_comm_hook(None, lambda state, bucket: waited.append(None) or bucket)
    assert not step_is_finite(subject, broken.batch) and not waited
    found = find_origin(subject, broken.batch)
    assert told(found) == ("backward pass", broken.name, 1, "div", True)


@pytest.mark.parametrize("precision", ["fp16", "bf16"])
def test_autocast_and_a_scaled_loss(precision: str, batch: Any) -> None:
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    model = Shared()
    subject = AutocastSetup(model, lambda model, batch: scaler.scale(loss_of(model, batch)), precision=precision)
    assert step_is_finite(subject, batch)
    model.layer.register_forward_hook(lambda module, given, output: rooted(output))
    assert told(find_origin(subject, batch))[:2] == ("backward pass", "layer")


def test_a_bad_gradient_that_is_sparse() -> None:
    bag = nn.EmbeddingBag(5, 3, sparse=True, mode="sum")
    found = find_origin(
        AutocastSetup(bag, lambda model, batch: rooted(model(batch)).sum()), torch.arange(6).view(3, 2) % 5
    )
    assert told(found) == ("backward pass", "", 1, "div", True)


def test_a_value_that_no_operation_of_torch_has_made(batch: Any) -> None:
    model = Shared()

    def loss(model: Any, batch: Any) -> torch.Tensor:
        model.layer.bias.detach().numpy()[0] = float("nan")  # beside torch
        return loss_of(model, batch)

    found = find_origin(AutocastSetup(model, loss), batch)
    assert found is not None and found.phase != "" and bool(torch.isfinite(model.layer.bias).all())


def generating(broken: Case) -> None:
    def loss(model: Any, batch: Any) -> torch.Tensor:
        made = model.generate(batch["input_ids"], max_new_tokens=4, output_scores=True, return_dict_in_generate=True)
        return made.scores[-1].logsumexp(-1).sum()

    broken.compute_loss = loss


def test_a_loss_over_generated_scores_with_their_masks() -> None:
    broken = case("mt5")
    generating(broken)
    assert step_is_finite(broken.subject(), broken.batch)
    decoder: Any = broken.model
    decoder.decoder.block[0].layer[2].register_forward_hook(lambda module, given, output: logged(output))
    found = told(find_origin(broken.subject(), broken.batch))
    assert found == ("forward pass", "decoder.block.0.layer.2", 1, "log", True)  # from there through the cache


def test_a_failure_that_does_not_come_back_is_said_to_be_unsteady(batch: Any) -> None:
    model, passes = Shared(), [0]

    def once(model: nn.Module, batch: Any) -> torch.Tensor:
        passes[0] += 1
        return loss_of(model, batch) * (float("nan") if passes[0] == 1 else 1.0)

    found = bisect_batch(AutocastSetup(model, once), batch).origin
    assert found is not None and not found.reproducible and passes[0] == 4


def test_a_failure_that_comes_and_goes_has_an_origin_but_no_row(batch: Any) -> None:
    model, passes = Shared(), [0]

    def sometimes(model: nn.Module, batch: Any) -> torch.Tensor:
        passes[0] += 1
        return loss_of(model, batch) * (float("nan") if passes[0] % 2 else 1.0)

    found = bisect_batch(AutocastSetup(model, sometimes), batch).origin
    assert found is not None and (found.phase, found.operation) == ("loss", "mul")
    assert not found.reproducible and not found.rows
