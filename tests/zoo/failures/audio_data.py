"""Section 2: what is wrong with the clips themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import transformers as hf
from torch.utils.data import DataLoader

from tests.zoo.failures._models import Tagger, heard, spoken, wav2vec2, wav2vec2_processor
from tests.zoo.failures.cases import failure
from tests.zoo.hf_models._sounds import RATE, DataCollatorCTCWithPadding
from tests.zoo.registry import Facts
from tests.zoo.trainers.trainer_kit import arguments


def ctc_loop(rows: Any, processor: Any, collate: Any = None, model: Any = None) -> Facts:
    """A plain loop over wav2vec 2.0 with CTC."""
    model = model or wav2vec2(processor.tokenizer)
    collate = collate or DataCollatorCTCWithPadding(processor)
    batches = DataLoader(rows, batch_size=8, shuffle=True, collate_fn=collate)
    return {"model": model, "train_batches": batches, "optimizer": torch.optim.AdamW(model.parameters(), 1e-3)}


def raw_collator(processor: Any, rate: int | None = RATE) -> Any:
    """Extracts features while it makes a batch."""

    def collate(rows: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        waves = [row["audio"]["array"] for row in rows]
        batch = processor.feature_extractor(waves, sampling_rate=rate, padding=True, return_tensors="pt")
        texts = processor.tokenizer([row["sentence"] for row in rows], padding=True, return_tensors="pt")
        batch["labels"] = texts.input_ids.masked_fill(texts.attention_mask.ne(1), -100)
        return batch

    return collate


@failure("data_wrong_sample_rate", "DAT011", "DAT010")
def clips_at_48_khz(broken: bool) -> Facts:
    """The clips were recorded at 48 kHz, and the extractor is not told."""
    processor, rows = wav2vec2_processor(), [dict(row) for row in spoken()]
    if broken:
        for row in rows:
            row["audio"] = {"array": np.repeat(row["audio"]["array"], 3), "sampling_rate": 48_000}
    collate = raw_collator(processor, None)
    facts = ctc_loop(rows, processor, collate)
    return facts | {"train_dataset": rows, "collate": collate, "feature_extractor": processor.feature_extractor}


@failure("data_stereo_becomes_batch", "DAT012", "DAT003", "LOS003", "LAB031", short=True)
def stereo_clips(broken: bool) -> Facts:
    """soundfile gives two channels as (samples, 2)."""
    processor = wav2vec2_processor()
    rows = []
    for row in spoken():
        both = np.stack([row["audio"]["array"]] * 2, 1)
        wave = both if broken else both.mean(1)
        values = processor.feature_extractor(wave, sampling_rate=RATE).input_values[0]
        rows.append({"input_values": values, "labels": processor.tokenizer(row["sentence"]).input_ids})
    return ctc_loop(rows, processor)


@failure("data_nan_sample", "DAT008", "LOS017", "LOS050")
def nan_in_one_clip_of_many(broken: bool) -> Facts:
    """One clip of 48 holds a NaN; it is seldom in the first batch."""
    processor = wav2vec2_processor(do_normalize=False)
    rows = heard(processor)
    if broken:
        rows[41]["input_values"] = rows[41]["input_values"].copy()
        rows[41]["input_values"][777] = np.nan
    return ctc_loop(rows, processor)


@failure("data_nan_row_of_later_batch", "DAT008", "LOS017", "LOS050", short=True)
def nan_in_a_row_of_tuples(broken: bool) -> Facts:
    """The last row of a small corpus of filter banks holds a NaN."""
    table = torch.randn(4, 40)
    rows = [(table[n % 4] + 0.5 * torch.randn(20, 40), n % 4) for n in range(96)]
    if broken:
        rows[95][0][3, 7] = torch.nan
    model, criterion = Tagger(), torch.nn.CrossEntropyLoss()
    order = torch.Generator().manual_seed(5)
    batches = DataLoader(rows, batch_size=8, shuffle=True, generator=order)
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    loss = {"compute_loss": lambda m, b: criterion(m(b[0]), b[1])}
    return {"model": model, "train_batches": batches, "optimizer": optimizer, **loss}


@failure("data_silent_clip", "DAT019", "LOS017", "LOS050", "LOS001", "LOS015", "LOS054")
def silence_divided_by_its_deviation(broken: bool) -> Facts:
    """The collator's own normalization has no epsilon, and some clips are silent; they are dropped from the twin."""
    processor = wav2vec2_processor(do_normalize=False)
    rows = heard(processor)
    for row in rows[3::24] if broken else ():
        row["input_values"] = np.zeros_like(row["input_values"])
    pad, smallest = DataCollatorCTCWithPadding(processor), 0.0 if broken else 1e-5

    def collate(items: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        waves = [item["input_values"] for item in items]
        scaled = [(wave - wave.mean()) / (wave.std() + np.float32(smallest)) for wave in waves]
        return pad([{**item, "input_values": wave} for item, wave in zip(items, scaled, strict=True)])

    return ctc_loop(rows, processor, collate)


@failure("data_zero_or_tiny_clip", "DAT020", "LOS015", "LOS017", "LOS003", "DAT003", "LAB018")
def clip_of_a_hundred_samples(broken: bool) -> Facts:
    """Some clips are shorter than the convolutions of the front end."""
    processor = wav2vec2_processor()
    rows = heard(processor)
    if broken:
        for row in rows[5::16]:
            row["input_values"], row["labels"] = row["input_values"][:100], row["labels"][:1]
    return ctc_loop(rows, processor)


@failure("data_ctc_target_too_long", "LAB018", "LOS058", "LOS001", "LOS017", "LOS015")
def more_letters_than_frames(broken: bool) -> Facts:
    """A cut clip kept its whole sentence."""
    processor = wav2vec2_processor()
    rows = heard(processor)
    for row in rows[2::12] if broken else ():
        row["input_values"] = row["input_values"][: 320 * 8]
    trainer = hf.Trainer(
        model=wav2vec2(processor.tokenizer),
        args=arguments(eval_strategy="no", learning_rate=1e-3),
        train_dataset=rows,
        data_collator=DataCollatorCTCWithPadding(processor),
    )
    return {"trainer": trainer}
