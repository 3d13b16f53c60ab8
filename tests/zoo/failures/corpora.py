"""Section 2: texts, pairs, splits and the workers that draw them."""

from __future__ import annotations

from typing import Any

import torch
import transformers as hf
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from tests.zoo.failures._models import bart, bart_tokenizer, heard, t5, t5_tokenizer, whisper, whisper_processor
from tests.zoo.failures.cases import failure
from tests.zoo.hf_models._sounds import DataCollatorSpeechSeq2SeqWithPadding
from tests.zoo.hf_models._texts import articles, translations
from tests.zoo.registry import Facts
from tests.zoo.trainers.trainer_kit import arguments


def seq2seq_trainer(model: Any, tokenizer: Any, rows: Any, test: Any = None, collate: Any = None, **more: Any) -> Any:
    """A Seq2SeqTrainer with the usual collator."""
    more = {"eval_strategy": "no"} | more if test is None else more
    return hf.Seq2SeqTrainer(
        model=model,
        args=arguments(hf.Seq2SeqTrainingArguments, **more),
        train_dataset=rows,
        eval_dataset=test,
        data_collator=collate or hf.DataCollatorForSeq2Seq(tokenizer, model=model),
        processing_class=tokenizer,
    )


@failure("data_label_too_long", "LAB017", "LOS017", "LOS003", "LOS015")
def transcript_beyond_the_positions(broken: bool) -> Facts:
    """One transcript has more tokens than the decoder has positions."""
    processor = whisper_processor()
    model = whisper(processor.tokenizer)
    rows = heard(processor, "input_features")
    if broken:
        rows[37]["labels"] = rows[37]["labels"][:-1] * 6 + rows[37]["labels"][-1:]
    collate = DataCollatorSpeechSeq2SeqWithPadding(processor, model.config.decoder_start_token_id, mask=False)
    return {"trainer": seq2seq_trainer(model, processor, rows, collate=collate, learning_rate=1e-3)}


@failure("data_empty_text", "LAB003", "DAT002", "LOS057", "LAB001", "LOS017")
def one_row_without_a_target(broken: bool) -> Facts:
    """Batches of one row, one of which has no target at all."""
    tokenizer = bart_tokenizer()
    model = bart(tokenizer)
    pairs = [(text, headline) for text, headline in articles()]

    def collate(items: list[tuple[str, str]]) -> dict[str, torch.Tensor]:
        batch = tokenizer([text for text, _ in items], return_tensors="pt", padding=True)
        labels = [torch.tensor(tokenizer(title).input_ids if title else [-100] * 3) for _, title in items]
        return {**batch, "labels": pad_sequence(labels, batch_first=True, padding_value=-100)}

    if broken:
        pairs[30] = (pairs[30][0], "")
    batches = DataLoader(pairs, batch_size=1, shuffle=True, collate_fn=collate)
    return {"model": model, "train_batches": batches, "optimizer": torch.optim.AdamW(model.parameters(), lr=3e-4)}


@failure("data_audio_text_offset", "DAT040", "LRN030", "LRN032", "LRN033", "LAB034")
def transcripts_shifted_by_one_row(broken: bool) -> Facts:
    """The manifest lost one line: each clip has the transcript of the next."""
    processor = whisper_processor()
    model = whisper(processor.tokenizer)
    rows = heard(processor, "input_features", 96)
    rows = [rows[number] for number in torch.randperm(len(rows))]
    labels = [row["labels"] for row in rows]
    for row, ids in zip(rows, labels[1:] + labels[:1], strict=True) if broken else ():
        row["labels"] = ids
    collate = DataCollatorSpeechSeq2SeqWithPadding(processor, model.config.decoder_start_token_id, mask=False)
    return {"trainer": seq2seq_trainer(model, processor, rows, collate=collate, learning_rate=1e-3)}


@failure("data_audio_text_offset", "DAT040", "LRN030", "LRN032", "LRN033", "LAB034")
def translations_of_other_sentences(broken: bool) -> Facts:
    """The file of the targets lacks its first line."""
    pairs = list(translations(256))
    sources, targets = [a for a, _ in pairs], [b for _, b in pairs]
    pairs = list(zip(sources, targets[1:] + targets[:1], strict=True)) if broken else pairs
    tokenizer = t5_tokenizer()
    model = t5(tokenizer)

    def collate(items: list[tuple[str, str]]) -> Any:
        batch = tokenizer([a for a, _ in items], text_target=[b for _, b in items], padding=True, return_tensors="pt")
        batch["labels"][batch["labels"] == tokenizer.pad_token_id] = -100
        return batch

    batches = DataLoader(pairs, batch_size=16, shuffle=True, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    return {"model": model, "train_batches": batches, "optimizer": optimizer, "tokenizer": tokenizer}
