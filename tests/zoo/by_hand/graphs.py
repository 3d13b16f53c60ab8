"""Graph networks: one graph is one batch, and its nodes are not independent."""

from __future__ import annotations

import torch
from torch import nn

from tests.zoo.registry import Facts, setup

NODES, WIDTH, CLASSES = 60, 8, 3


class GraphNet(nn.Module):
    """Two rounds of averaging over neighbours."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.outer = nn.Linear(WIDTH, 16), nn.Linear(16, CLASSES)

    def forward(self, nodes: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        mean = edges / edges.sum(-1, keepdim=True)
        return self.outer(mean @ torch.relu(self.inner(mean @ nodes)))


@setup(short=True)
def graph_net() -> Facts:
    """Node classification on one graph, with edges inside classes."""
    labels = torch.arange(NODES) % CLASSES
    edges = ((labels[:, None] == labels[None]) & (torch.rand(NODES, NODES) < 0.4)).float() + torch.eye(NODES)
    nodes = torch.randn(CLASSES, WIDTH)[labels] + torch.randn(NODES, WIDTH)
    model = GraphNet()

    def compute_loss(model: nn.Module, batch: dict[str, torch.Tensor]) -> torch.Tensor:
        return nn.functional.cross_entropy(model(batch["nodes"], batch["edges"]), batch["labels"])

    batch = {"nodes": nodes, "edges": edges, "labels": labels}
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    return {"model": model, "train_batches": [batch], "compute_loss": compute_loss, "optimizer": optimizer}
