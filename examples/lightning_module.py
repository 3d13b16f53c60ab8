"""A LightningModule. Run it with --broken: the features are detached, so the encoder learns nothing."""

import sys
import tempfile

import lightning.pytorch as lightning
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import diagnose

BROKEN = "--broken" in sys.argv


class Tagger(lightning.LightningModule):
    """An encoder and a head: which of four classes a row belongs to."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(16, 64), nn.ReLU())
        self.head = nn.Linear(64, 4)

    def training_step(self, batch: list[torch.Tensor], number: int) -> torch.Tensor:
        x, y = batch
        features = self.encoder(x)
        loss = F.cross_entropy(self.head(features.detach() if BROKEN else features), y)
        self.log("train_loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self) -> torch.optim.Optimizer:
        return torch.optim.AdamW(self.parameters(), lr=3e-3)


lightning.seed_everything(0, verbose=False)
inputs = torch.randn(512, 16)
labels = (inputs @ torch.randn(16, 4)).argmax(-1)
loader = DataLoader(TensorDataset(inputs, labels), batch_size=32, shuffle=True)

trainer = lightning.Trainer(
    max_epochs=2,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    default_root_dir=tempfile.mkdtemp(),
    callbacks=[diagnose.PreflightCallback()],
)
trainer.fit(Tagger(), loader)
