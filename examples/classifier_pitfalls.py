"""Silent bugs of a classifier, one at a time: python classifier_pitfalls.py --broken NAME.

None of them raises an error in training, and the loss falls with each; PITFALLS says what each one is.
"""

import argparse
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import diagnose

PITFALLS = {
    "broadcasting": "logits (32, 1) against labels (32,) make a loss over (32, 32)",
    "in_place": "x += 1 changes a tensor that autograd still needs",
    "wrong_reduction": "the mean over the batch is divided by the batch size once more",
    "double_softmax": "softmax before cross_entropy, which computes one itself",
    "forgotten_zero_grad": "gradients of all earlier batches are added up",
    "eval_mode": "the step looks at its accuracy in eval mode and does not go back",
    "detached": ".detach() stands between two layers",
    "misaligned_labels": "the collator sorts the inputs and leaves the labels where they were",
    "scaler_on_all_data": "mean and standard deviation were fitted on the test rows as well",
}
parser = argparse.ArgumentParser()
parser.add_argument("--broken", choices=PITFALLS, default="")
BROKEN = parser.parse_args().broken


class Classifier(nn.Module):
    """Is the row of the first class? Two hidden layers with dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(16, 64), nn.Sigmoid())
        self.middle = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1))
        self.head = nn.Linear(64, 1 if BROKEN == "broadcasting" else 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.encoder(x)
        if BROKEN == "in_place":
            hidden += 1
        if BROKEN == "detached":
            hidden = hidden.detach()
        return self.head(self.middle(hidden))


def compute_loss(model: nn.Module, batch: list[torch.Tensor]) -> torch.Tensor:
    x, y = batch
    logits = model(x)
    if BROKEN == "broadcasting":
        return F.mse_loss(logits, y.float())
    if BROKEN == "double_softmax":
        logits = logits.softmax(-1)
    loss = F.cross_entropy(logits, y)
    return loss / len(y) if BROKEN == "wrong_reduction" else loss


def collate(items: list[tuple[torch.Tensor, torch.Tensor]]) -> list[torch.Tensor]:
    x, y = (torch.stack(column) for column in zip(*items, strict=True))
    return [x[x[:, 0].argsort()] if BROKEN == "misaligned_labels" else x, y]


def training_step(batch: list[torch.Tensor]) -> torch.Tensor:
    if BROKEN != "forgotten_zero_grad":
        optimizer.zero_grad()
    loss = compute_loss(model, batch)
    loss.backward()
    optimizer.step()
    if BROKEN == "eval_mode":
        model.eval()
        model(batch[0])
    return loss.detach()


torch.manual_seed(0)
x = 5 + 3 * torch.randn(1280, 16)
y = ((x - 5) @ torch.randn(16) > 0).long()
train, test = (x[:1024], y[:1024]), (x[1024:] + 1, y[1024:])  # the test rows are of another day
fitted = torch.cat([train[0], test[0]]) if BROKEN == "scaler_on_all_data" else train[0]
mean, std = fitted.mean(0), fitted.std(0)
train_set, test_set = (TensorDataset((rows - mean) / std, labels) for rows, labels in (train, test))
train_loader = DataLoader(train_set, batch_size=32, shuffle=True, collate_fn=collate)

model = Classifier()
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)

facts = {"model": model, "optimizer": optimizer, "train_batches": train_loader, "training_step": training_step}
facts |= {"compute_loss": compute_loss, "train_dataset": train_set, "eval_dataset": test_set, "collate": collate}
if not (report := diagnose.preflight(**facts)).clean:  # a warning ends this script too: the bugs are silent ones
    sys.exit(str(report))

for epoch in range(3):
    for batch in train_loader:
        loss = training_step(batch)
    print(f"epoch {epoch}: loss {loss.item():.3f}")
