"""A script as in a tutorial of transformers; it knows nothing of any check."""

import sys
import tempfile

import torch
from torch import nn
from transformers import Trainer, TrainerCallback, TrainingArguments


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 4))

    def forward(self, x, labels):
        logits = self.body(x)
        logits = logits.softmax(-1) if "--broken" in sys.argv else logits
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


class PrintLosses(TrainerCallback):
    def on_log(self, args, state, control, logs=None, **kwargs):
        if "loss" in logs:
            print(float(logs["loss"]).hex())


def main():
    torch.manual_seed(0)
    x = torch.randn(512, 16)
    y = (x @ torch.randn(16, 4)).argmax(-1)
    rows = [{"x": row, "labels": label} for row, label in zip(x, y, strict=True)]
    args = TrainingArguments(
        tempfile.mkdtemp(),
        per_device_train_batch_size=32,
        learning_rate=3e-3,
        max_steps=12,
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        disable_tqdm=True,
        use_cpu=True,
    )
    Trainer(Classifier(), args, train_dataset=rows, callbacks=[PrintLosses()]).train()


if __name__ == "__main__":
    main()
