"""One small healthy classifier in the trainers of others: transformers' and Lightning's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lightning.pytorch as lightning
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split
from transformers import Trainer, TrainingArguments

WIDTH, CLASSES = 16, 4


class Points(Dataset):
    """Rows of numbers, and the class that a fixed linear map gives them."""

    def __init__(self, rows: int = 512) -> None:
        draw = torch.Generator().manual_seed(0)
        self.x = torch.randn(rows, WIDTH, generator=draw)
        self.y = (self.x @ torch.randn(WIDTH, CLASSES, generator=draw)).argmax(-1)

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, index: int) -> dict[str, torch.Tensor]:
        return {"x": self.x[index], "labels": self.y[index]}


class Classifier(nn.Module):
    """Two layers with dropout. `double`: softmax before cross entropy, which computes one itself."""

    def __init__(self, double: bool = False) -> None:
        super().__init__()
        self.net = nn.Sequential(nn.Linear(WIDTH, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, CLASSES))
        self.double = double

    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        logits = self.net(x)
        logits = logits.softmax(-1) if self.double else logits
        return {"loss": F.cross_entropy(logits, labels), "logits": logits}


def transformers_run(folder: Path, callbacks: list[Any], double: bool = False) -> tuple[Trainer, list[float]]:
    """Twelve steps of transformers' Trainer, and the losses that it logs."""
    torch.manual_seed(1)
    arguments = TrainingArguments(
        str(folder),
        per_device_train_batch_size=32,
        learning_rate=3e-3,
        max_steps=12,
        logging_steps=1,
        report_to="none",
        disable_tqdm=True,
        save_strategy="no",
        use_cpu=True,
    )
    trainer = Trainer(Classifier(double), arguments, train_dataset=Points(), callbacks=callbacks)
    trainer.train()
    return trainer, [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]


class LitClassifier(lightning.LightningModule):
    """The same in Lightning, with a schedule, logged values and its own losses kept."""

    def __init__(self, double: bool = False, manual: bool = False) -> None:
        super().__init__()
        self.classifier, self.losses = Classifier(double), []
        self.automatic_optimization = not manual

    def training_step(self, batch: dict[str, torch.Tensor], number: int) -> torch.Tensor | None:
        loss = self.classifier(**batch)["loss"]
        self.log("train_loss", loss)
        self.losses.append(loss.item())
        if self.automatic_optimization:
            return loss
        optimizer = self.optimizers()
        optimizer.zero_grad()
        self.manual_backward(loss)
        optimizer.step()
        return None

    def configure_optimizers(self) -> Any:
        optimizer = torch.optim.AdamW(self.parameters(), lr=3e-3)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 10)]


class PointsModule(lightning.LightningDataModule):
    """Splits at random in setup."""

    def setup(self, stage: str) -> None:
        self.train, self.val = random_split(Points(), [448, 64])

    def train_dataloader(self) -> DataLoader:
        return DataLoader(self.train, batch_size=32, shuffle=True)


def lightning_run(folder: Path, callbacks: list[Any], **module: bool) -> tuple[Any, list[float]]:
    """One epoch of Lightning's Trainer, and the losses of its steps."""
    lightning.seed_everything(1, verbose=False)
    quiet = dict.fromkeys(("logger", "enable_progress_bar", "enable_checkpointing", "enable_model_summary"), False)
    trainer = lightning.Trainer(max_epochs=1, accelerator="cpu", callbacks=callbacks, default_root_dir=folder, **quiet)
    model = LitClassifier(**module)
    trainer.fit(model, datamodule=PointsModule())
    return trainer, model.losses
