"""Section 2: clips at another scale."""

from __future__ import annotations

import numpy as np
import torch
from torch.utils.data import DataLoader

from tests.zoo.failures._models import spoken, tone, wav2vec2, wav2vec2_processor
from tests.zoo.failures.audio_data import ctc_loop, raw_collator
from tests.zoo.failures.cases import failure
from tests.zoo.hf_models._sounds import RATE
from tests.zoo.registry import Facts
from tests.zoo.trainers.trainer_kit import reloaded


@failure("data_int16_never_scaled", "DAT015", short=True)
def int16_samples_and_a_pretrained_model(broken: bool) -> Facts:
    """Samples of 16 bits go to a checkpoint whose extractor does not normalize."""
    processor = wav2vec2_processor(do_normalize=False)
    rows = [dict(row) for row in spoken()]
    for row in rows if broken else ():
        row["audio"] = {"array": np.float32(np.int16(row["audio"]["array"] * 32767)), "sampling_rate": RATE}
    facts = ctc_loop(rows, processor, raw_collator(processor), reloaded(wav2vec2(processor.tokenizer)))
    return facts | {"feature_extractor": processor.feature_extractor}


@failure("data_clip_at_another_scale", "DAT015", "LAB024", "DAT047")
def tones_of_32767(broken: bool) -> Facts:
    """scipy.io.wavfile reads integers, and an own network gets them as they are."""
    scale = 32767.0 if broken else 1.0
    rows = []
    for n in range(64):
        noise = 0.01 * np.random.default_rng(n).normal(size=4000).astype(np.float32)
        rows.append({"wave": torch.from_numpy(scale * (tone(4000, 300 + 200 * (n % 4)) + noise)), "label": n % 4})
    model = torch.nn.Sequential(torch.nn.Conv1d(1, 16, 80, 40), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool1d(4),
                                torch.nn.Flatten(), torch.nn.Linear(64, 4))  # fmt: skip
    criterion = torch.nn.CrossEntropyLoss()
    facts: Facts = {"model": model, "train_batches": DataLoader(rows, batch_size=8, shuffle=True)}
    facts["compute_loss"] = lambda m, batch: criterion(m(batch["wave"][:, None]), batch["label"])
    facts["labels_of"] = lambda batch: batch["label"]
    return facts | {"optimizer": torch.optim.Adam(model.parameters(), 1e-3), "train_dataset": rows}
