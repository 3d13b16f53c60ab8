"""A loop with accelerate. Run it with --broken: the optimizer was made before the model got its new head."""

import sys

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import diagnose

BROKEN = "--broken" in sys.argv


def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
    x, y = batch
    return F.cross_entropy(model(x), y)


torch.manual_seed(0)
inputs = torch.randn(512, 16)
labels = (inputs @ torch.randn(16, 4)).argmax(-1)
loader = DataLoader(TensorDataset(inputs, labels), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 1000))
if not BROKEN:
    model[2] = nn.Linear(64, 4)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
if BROKEN:
    model[2] = nn.Linear(64, 4)

accelerator = Accelerator(cpu=True)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
report = diagnose.preflight(model=model, optimizer=optimizer, train_batches=loader, compute_loss=compute_loss)
report.require()

for epoch in range(4):
    for batch in loader:
        loss = compute_loss(model, batch)
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
    accelerator.print(f"epoch {epoch}: loss {loss.item():.3f}")
