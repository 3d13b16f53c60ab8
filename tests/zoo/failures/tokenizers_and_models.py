"""Section 4: tokenizers, extractors and models that do not belong together."""

from __future__ import annotations

from typing import Any

import torch
import transformers as hf
from torch.utils.data import DataLoader

from tests.zoo.failures._models import (
    bart,
    bart_tokenizer,
    heard,
    spoken,
    t5,
    t5_tokenizer,
    translated,
    wav2vec2,
    wav2vec2_processor,
    whisper,
    whisper_processor,
)
from tests.zoo.failures.audio_data import ctc_loop
from tests.zoo.failures.cases import failure
from tests.zoo.failures.collators import whisper_loop
from tests.zoo.failures.corpora import seq2seq_trainer
from tests.zoo.hf_models._sounds import RATE, DataCollatorSpeechSeq2SeqWithPadding
from tests.zoo.registry import Facts
from tests.zoo.trainers.trainer_kit import reloaded


@failure("tok_vocab_out_of_range", "TOK001", "LAB015", "TOK013", "LOS003", "LOS017", "LOS015", short=True)
def tokens_added_without_resizing(broken: bool) -> Facts:
    """New tokens were added to the tokenizer; the embedding was not resized."""
    tokenizer = t5_tokenizer()
    model = t5(tokenizer)
    tokenizer.add_tokens(["bicycle", "jardin", "marché", "market"])
    if not broken:
        model.resize_token_embeddings(len(tokenizer))
    return {"trainer": seq2seq_trainer(model, tokenizer, translated(tokenizer), learning_rate=2e-3)}


@failure("tok_case_all_unk", "DAT028", "TOK004", "DAT029", "TOK003")
def capitals_and_a_small_vocabulary(broken: bool) -> Facts:
    """The sentences are in capitals, the vocabulary in small letters."""
    processor = wav2vec2_processor()
    rows = []
    for row in spoken():
        text = row["sentence"].upper() if broken else row["sentence"]
        values = processor.feature_extractor(row["audio"]["array"], sampling_rate=RATE).input_values[0]
        rows.append({"input_values": values, "labels": processor.tokenizer(text).input_ids})
    return ctc_loop(rows, processor) | {"tokenizer": processor.tokenizer}


@failure("tok_mel_bins", "TOK008", "LOS003")
def extractor_of_another_size(broken: bool) -> Facts:
    """A model of 128 mel bins with an extractor of 80."""
    processor = whisper_processor()
    model = whisper(processor.tokenizer, num_mel_bins=128 if broken else 80)
    collate = DataCollatorSpeechSeq2SeqWithPadding(processor, model.config.decoder_start_token_id, mask=False)
    return whisper_loop(processor, collate, model)


@failure("tok_sed_no_decoder_start", "TOK007", "LOS003", short=True)
def speech_encoder_decoder_without_a_start(broken: bool) -> Facts:
    """The ids stand in the decoder's configuration only."""
    processor, tokenizer = wav2vec2_processor(), bart_tokenizer()
    encoder = wav2vec2(processor.tokenizer, hf.Wav2Vec2Model)
    decoder = hf.BartForCausalLM(hf.BartConfig(**bart(tokenizer).config.to_diff_dict() | {"is_decoder": True,
                                               "add_cross_attention": True}))  # fmt: skip
    model = hf.SpeechEncoderDecoderModel(encoder=encoder, decoder=decoder)
    if not broken:
        model.config.decoder_start_token_id, model.config.pad_token_id = 0, tokenizer.pad_token_id
        model.config.eos_token_id = tokenizer.eos_token_id
    rows = [{"input_values": row["input_values"], "labels": tokenizer(text["sentence"]).input_ids}
            for row, text in zip(heard(processor), spoken(), strict=True)]  # fmt: skip

    def collate(items: list[dict[str, Any]]) -> Any:
        values = [{"input_values": item["input_values"]} for item in items]
        batch = processor.feature_extractor.pad(values, return_tensors="pt")
        labels = [{"input_ids": item["labels"][1:]} for item in items]
        padded = tokenizer.pad(labels, return_tensors="pt")
        batch["labels"] = padded.input_ids.masked_fill(padded.attention_mask.ne(1), -100)
        return batch

    batches = DataLoader(rows, batch_size=8, shuffle=True, collate_fn=collate)
    return {"model": model, "train_batches": batches, "optimizer": torch.optim.AdamW(model.parameters(), lr=1e-3)}


@failure("tok_whisper_fast_prefix", "LAB025", "LAB026", "GEN003", "GEN005")
def labels_without_language_and_task(broken: bool) -> Facts:
    """The tokenizer was made without language and task, and generation begins with them."""
    processor = whisper_processor(language=None if broken else "en")
    model = whisper(processor.tokenizer)
    ids = processor.tokenizer.convert_tokens_to_ids
    settings = model.generation_config
    settings.lang_to_id, settings.task_to_id = {"<|en|>": ids("<|en|>")}, {"transcribe": ids("<|transcribe|>")}
    settings.is_multilingual, settings.no_timestamps_token_id = True, ids("<|notimestamps|>")
    settings.language, settings.task = "en", "transcribe"
    rows = heard(processor, "input_features")
    start = model.config.decoder_start_token_id
    collate = DataCollatorSpeechSeq2SeqWithPadding(processor, start, mask=False)
    options = {"predict_with_generate": True, "generation_max_length": 40, "learning_rate": 1e-3}
    return {"trainer": seq2seq_trainer(model, processor, rows[8:], rows[:8], collate, **options)}


@failure("tok_pad_id_differs", "TOK006")
def pad_id_of_another_tokenizer(broken: bool) -> Facts:
    """The CTC model keeps pad_token_id=0 of its configuration; the tokenizer pads with another id."""
    processor = wav2vec2_processor()
    last = len(processor.tokenizer) - 1
    model = wav2vec2(processor.tokenizer, **{"pad_token_id": last} if broken else {})
    return ctc_loop(heard(processor), processor, model=reloaded(model)) | {"tokenizer": processor.tokenizer}
