"""A plain training loop. Run it with --broken: zero_grad() is forgotten, as in many loops that were moved around."""

import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import diagnose

BROKEN = "--broken" in sys.argv

torch.manual_seed(0)
inputs = torch.randn(512, 16)
labels = (inputs @ torch.randn(16, 4)).argmax(-1)
loader = DataLoader(TensorDataset(inputs, labels), batch_size=32, shuffle=True)

model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 4))
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

with diagnose.watch(model, optimizer):
    for epoch in range(4):
        for x, y in loader:
            loss = F.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            if not BROKEN:
                optimizer.zero_grad()
        print(f"epoch {epoch}: loss {loss.item():.3f}")
