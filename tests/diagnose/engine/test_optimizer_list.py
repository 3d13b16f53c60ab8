"""A list of optimizers is looked at as one, and restored as they were."""

import torch
from torch import nn

import diagnose
from diagnose.engine.optimizer_list import OptimizerList


def test_two_optimizers_of_one_model_are_healthy_and_stay_as_they_were() -> None:
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
    labels = torch.arange(96) % 3
    rows = torch.eye(6)[labels] * 2 + torch.randn(96, 6)
    batches = list(zip(rows.split(16), labels.split(16), strict=True))
    optimizers = [torch.optim.Adam(model[0].parameters(), lr=0.01), torch.optim.SGD(model[2].parameters(), lr=0.1)]
    before = {name: value.clone() for name, value in model.state_dict().items()}

    def compute_loss(model: nn.Module, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        return nn.functional.cross_entropy(model(batch[0]), batch[1])

    report = diagnose.preflight(model=model, train_batches=batches, compute_loss=compute_loss, optimizer=optimizers)
    assert report.verdict is diagnose.Verdict.GO, report.headline
    assert not optimizers[0].state
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())


def test_weights_that_neither_optimizer_holds_are_told() -> None:
    model = nn.Sequential(nn.Linear(6, 16), nn.Linear(16, 16), nn.Linear(16, 3))
    optimizers = [torch.optim.SGD(model[number].parameters(), lr=0.1) for number in (0, 2)]
    report = diagnose.preflight(model=model, optimizer=optimizers)
    assert [finding.probe for finding in report.findings if finding.probe == "PAR002"] == ["PAR002"]


def test_clearing_the_joined_state_clears_every_optimizer() -> None:
    weights = [nn.Parameter(torch.ones(2)) for _ in range(2)]
    optimizers = [torch.optim.Adam([weight], lr=0.1) for weight in weights]
    for weight, optimizer in zip(weights, optimizers, strict=True):
        weight.grad = torch.ones(2)
        optimizer.step()
    joined = OptimizerList(optimizers)
    assert set(joined.state) == set(weights)
    joined.state.clear()
    assert not optimizers[0].state and not optimizers[1].state
