"""Section 2: splits, and the workers that draw rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

from tests.zoo.failures._models import heard, t5, t5_tokenizer, translated, whisper, whisper_processor
from tests.zoo.failures.cases import failure
from tests.zoo.failures.corpora import seq2seq_trainer
from tests.zoo.hf_models._sounds import DataCollatorSpeechSeq2SeqWithPadding
from tests.zoo.hf_models._texts import sentences
from tests.zoo.registry import Facts


@failure("data_speaker_leak", "DAT039", "DAT038")
def speakers_in_both_splits(broken: bool) -> Facts:
    """Rows were split at random, so every speaker is on both sides."""
    texts = sentences(64)
    rows = [{"transcript": text, "speaker_id": f"s{n % 8 if broken else n // 8}"} for n, text in enumerate(texts)]
    order = [n for n in range(64) if n % 8 != 7] + [n for n in range(64) if n % 8 == 7] if broken else list(range(64))
    rows = [rows[n] for n in order]
    if broken:
        for number, row in enumerate(rows[56:]):
            row["speaker_id"] = f"s{number % 7}"
    processor = whisper_processor()
    model = whisper(processor.tokenizer)
    collate = DataCollatorSpeechSeq2SeqWithPadding(processor, model.config.decoder_start_token_id, mask=False)
    data = heard(processor, "input_features")
    trainer = seq2seq_trainer(model, processor, data[:40], data[40:], collate, learning_rate=1e-3)
    return {"trainer": trainer, "train_rows": rows[:56], "eval_rows": rows[56:]}


@failure("data_eval_is_train", "DAT035", "DAT036", short=True)
def evaluation_rows_are_training_rows(broken: bool) -> Facts:
    """The script passes the training set as the evaluation set."""
    tokenizer = t5_tokenizer()
    rows = translated(tokenizer)
    train, test = (rows, rows.select(range(16))) if broken else (rows.select(range(48)), rows.select(range(48, 64)))
    return {"trainer": seq2seq_trainer(t5(tokenizer), tokenizer, train, test, learning_rate=2e-3)}


@failure("data_eval_is_train", "DAT035", "DAT036")
def test_loader_over_the_training_set(broken: bool) -> Facts:
    """A plain loop: both loaders are made from the same list."""
    table = torch.randn(4, 12)
    rows = [(table[n % 4] + torch.randn(12), n % 4) for n in range(160)]
    train, test = (rows, rows) if broken else (rows[:128], rows[128:])
    model = torch.nn.Sequential(torch.nn.Linear(12, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
    criterion = torch.nn.CrossEntropyLoss()
    return {
        "model": model,
        "train_batches": DataLoader(train, batch_size=16, shuffle=True),
        "eval_batches": DataLoader(test, batch_size=16),
        "compute_loss": lambda m, b: criterion(m(b[0]), b[1]),
        "optimizer": torch.optim.Adam(model.parameters(), 3e-3),
    }


class NoisyRows(Dataset[tuple[torch.Tensor, int]]):
    """Rows with noise from a generator: one that the dataset holds, or one of each worker."""

    def __init__(self, held: bool) -> None:
        self.table = np.random.default_rng(1).normal(size=(4, 12))
        self.generator = np.random.default_rng(0) if held else None

    def __len__(self) -> int:
        return 128

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        worker = torch.utils.data.get_worker_info()
        seed = index + (worker.seed if worker else torch.initial_seed())
        generator = self.generator or np.random.default_rng(seed % 2**32)
        return torch.from_numpy(self.table[index % 4] + generator.normal(size=12)).float(), index % 4


def noisy_facts(rows: Any, **more: Any) -> Facts:
    model, criterion = torch.nn.Linear(12, 4), torch.nn.CrossEntropyLoss()
    loader = DataLoader(rows, batch_size=8, shuffle=True, num_workers=2, **more)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    loss = {"compute_loss": lambda m, b: criterion(m(b[0]), b[1])}
    return {"model": model, "train_batches": loader, "optimizer": optimizer, **loss}


@failure("dist_generator_copied_to_workers", "DAT045", "DAT046")
def numpy_generator_in_the_dataset(broken: bool) -> Facts:
    """The generator is copied into every worker, each epoch anew."""
    return noisy_facts(NoisyRows(held=broken))


@failure("data_worker_seeds_collide", "DAT045", "DAT046")
def workers_seeded_alike(broken: bool) -> Facts:
    """worker_init_fn gives every worker the same seed."""

    class Rows(NoisyRows):
        def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
            return torch.from_numpy(self.table[index % 4]).float() + torch.randn(12), index % 4

    def same_seed(worker: int) -> None:
        torch.manual_seed(1234)

    return noisy_facts(Rows(held=False), worker_init_fn=same_seed if broken else None)
