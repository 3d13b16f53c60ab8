"""A script as in a tutorial of Lightning; it knows nothing of any check."""

import tempfile

import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 4))

    def training_step(self, batch, batch_idx):
        x, y = batch
        loss = nn.functional.cross_entropy(self.body(x), y)
        self.log("train_loss", loss)
        print(loss.item().hex())
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=3e-3)


def main():
    L.seed_everything(0, verbose=False)
    x = torch.randn(512, 16)
    y = (x @ torch.randn(16, 4)).argmax(-1)
    loader = DataLoader(TensorDataset(x, y), batch_size=32, shuffle=True)
    quiet = dict.fromkeys(["logger", "enable_progress_bar", "enable_checkpointing", "enable_model_summary"], False)
    trainer = L.Trainer(max_epochs=1, accelerator="cpu", default_root_dir=tempfile.mkdtemp(), **quiet)
    trainer.fit(Classifier(), loader)


if __name__ == "__main__":
    main()
