"""A loop by hand, in a class, with options; it knows nothing of any check."""

import argparse

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Run:
    def __init__(self, args):
        x = torch.randn(512, 16)
        y = (x @ torch.randn(16, 4)).argmax(-1)
        self.args = args
        self.loader = DataLoader(TensorDataset(x, y), batch_size=args.batch_size, shuffle=True)
        self.model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 4))
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=args.lr)
        self.losses = []

    def train(self):
        self.model.train()
        for _ in range(self.args.epochs):
            for number, (x, y) in enumerate(self.loader):
                self.optimizer.zero_grad()
                logits = self.model(x)
                logits = logits.softmax(-1) if self.args.broken else logits
                loss = F.cross_entropy(logits, y)
                self.losses.append(loss.item())
                loss.backward()
                torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
                self.optimizer.step()
                print(number, len(self.losses), loss.item().hex())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--broken", action="store_true")
    torch.manual_seed(0)
    Run(parser.parse_args()).train()


if __name__ == "__main__":
    main()
