"""Speech models of transformers, with the collators of its examples and of the usual blog posts."""

from __future__ import annotations

from typing import Any

import jiwer
import numpy as np
import torch
import transformers as hf
from torch.optim import AdamW
from torch.utils.data import DataLoader

from tests.zoo.hf_models._sounds import (
    RATE,
    DataCollatorCTCWithPadding,
    DataCollatorSpeechSeq2SeqWithPadding,
    ids_of,
    letters,
    prepared,
    speech,
    utterances,
)
from tests.zoo.hf_models._texts import byte_pieces, metaspace_pieces, pieces_of, sentencepiece_file, vocabulary_file
from tests.zoo.registry import Facts, dataset_facts, setup

SMALL = {"hidden_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96}
SEQ2SEQ = {"d_model": 48, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4}
SEQ2SEQ |= {"decoder_attention_heads": 4, "encoder_ffn_dim": 96, "decoder_ffn_dim": 96}
CONVOLUTIONS = {"conv_dim": (32,) * 7, "num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 4}
WHISPER_TOKENS = ["<|startoftranscript|>", "<|en|>", "<|vi|>", "<|translate|>", "<|transcribe|>", "<|startoflm|>"]
WHISPER_TOKENS += ["<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"]


@setup
def whisper_recipe() -> Facts:
    """Whisper as in the fine-tuning post: its collator, its prompt tokens, its warm-up."""
    rows = utterances()
    texts = tuple(row["sentence"] for row in rows)
    vocabulary, merges = byte_pieces(texts, ("<|endoftext|>",), 320)
    tokenizer = hf.WhisperTokenizer(vocabulary, merges, language="en", task="transcribe", pad_token="<|endoftext|>",
                                    extra_special_tokens=WHISPER_TOKENS)  # fmt: skip
    extractor = hf.WhisperFeatureExtractor(chunk_length=4)
    processor = hf.WhisperProcessor(extractor, tokenizer)
    start = tokenizer.convert_tokens_to_ids("<|startoftranscript|>")
    model = hf.WhisperForConditionalGeneration(
        hf.WhisperConfig(**SEQ2SEQ, **ids_of(tokenizer), max_source_positions=200, max_target_positions=64,
                         decoder_start_token_id=start, begin_suppress_tokens=None)
    )  # fmt: skip
    dataset = prepared(processor, rows, "input_features")
    collate = DataCollatorSpeechSeq2SeqWithPadding(processor, start, mask=False)
    optimizer = AdamW(model.parameters(), lr=1e-3)

    def compute_metrics(predictions: np.ndarray, labels: np.ndarray) -> dict[str, float]:
        labels = np.where(labels == -100, tokenizer.pad_token_id, labels)
        decoded = [tokenizer.batch_decode(ids, skip_special_tokens=True) for ids in (labels, predictions)]
        return {"wer": 100 * jiwer.wer(*decoded)}

    return {
        "model": model,
        "train_dataset": dataset,
        "collate": collate,
        "train_batches": DataLoader(dataset, batch_size=8, shuffle=True, collate_fn=collate),
        "optimizer": optimizer,
        "scheduler": hf.get_linear_schedule_with_warmup(optimizer, 5, 200),
        "total_steps": 200,
        "tokenizer": tokenizer,
        "feature_extractor": extractor,
        "compute_metrics": compute_metrics,
    }


@setup
def speech_to_text() -> Facts:
    """Speech2Text on filter banks, with pieces of SentencePiece."""
    rows = utterances()
    spm = sentencepiece_file(tuple(row["sentence"] for row in rows), "unigram", 90)
    tokenizer = hf.Speech2TextTokenizer(vocabulary_file(pieces_of(spm), "speech_to_text.json"), spm)
    processor = hf.Speech2TextProcessor(hf.Speech2TextFeatureExtractor(), tokenizer)
    model = hf.Speech2TextForConditionalGeneration(
        hf.Speech2TextConfig(**SEQ2SEQ, **ids_of(tokenizer), decoder_start_token_id=2, conv_channels=64,
                             max_source_positions=400, max_target_positions=64)
    )  # fmt: skip
    dataset = prepared(processor, rows, "input_features")
    collate = DataCollatorSpeechSeq2SeqWithPadding(processor, model.config.decoder_start_token_id)
    batches = DataLoader(dataset, batch_size=8, shuffle=True, collate_fn=collate)
    optimizer = AdamW(model.parameters(), lr=1e-3)
    return {"model": model, "train_batches": batches, "optimizer": optimizer, "tokenizer": tokenizer}


@setup
def moonshine() -> Facts:
    """Moonshine reads waveforms; only model, batches and optimizer are handed over."""
    rows = utterances(seconds=0.05)
    vocabulary, merges = metaspace_pieces(tuple(row["sentence"] for row in rows), ("<unk>", "<s>", "</s>"), 160)
    ends = {"add_eos_token": True, "pad_token": "</s>", "padding_side": "right"}
    tokenizer = hf.LlamaTokenizer(vocabulary, merges, **ends)
    processor = hf.Wav2Vec2Processor(hf.Wav2Vec2FeatureExtractor(do_normalize=False), tokenizer)
    sizes = {"encoder_num_hidden_layers": 2, "decoder_num_hidden_layers": 2, "hidden_size": 48, "intermediate_size": 96}
    heads = {"encoder_num_attention_heads": 4, "decoder_num_attention_heads": 4, "max_position_embeddings": 64}
    config = hf.MoonshineConfig(**sizes, **heads, **ids_of(tokenizer), decoder_start_token_id=1)
    model = hf.MoonshineForConditionalGeneration(config)
    dataset = prepared(processor, rows, "input_values")
    collate = DataCollatorSpeechSeq2SeqWithPadding(processor, config.decoder_start_token_id, "input_values")
    batches = DataLoader(dataset, batch_size=8, shuffle=True, collate_fn=collate)
    return {"model": model, "train_batches": batches, "optimizer": AdamW(model.parameters(), lr=1e-3)}


def ctc_facts(model: Any, processor: Any, rows: list[dict[str, Any]], rate: float, key: str = "input_values") -> Facts:
    """The three facts that every CTC run here has."""
    collate = DataCollatorCTCWithPadding(processor, key)
    batches = DataLoader(prepared(processor, rows, key), batch_size=8, shuffle=True, collate_fn=collate)
    return {"model": model, "train_batches": batches, "optimizer": AdamW(model.parameters(), lr=rate)}


@setup
def sew_ctc() -> Facts:
    """SEW, which halves the frames and doubles them again, with the mean of the CTC losses."""
    processor = hf.Wav2Vec2Processor(hf.Wav2Vec2FeatureExtractor(return_attention_mask=True), letters())
    kernels = {"conv_kernel": (10, 3, 3, 3, 3, 2, 2), "conv_stride": (5, 2, 2, 2, 2, 2, 2)}
    masks = {"mask_time_prob": 0.0, "ctc_loss_reduction": "mean"}
    config = hf.SEWConfig(**SMALL, **CONVOLUTIONS, **kernels, **masks, **ids_of(processor.tokenizer))
    return ctc_facts(hf.SEWForCTC(config), processor, utterances(), 1e-3)


@setup
def hubert_ctc() -> Facts:
    """HuBERT with SpecAugment; the feature encoder is frozen, as the examples freeze it."""
    processor = hf.Wav2Vec2Processor(hf.Wav2Vec2FeatureExtractor(return_attention_mask=True), letters())
    config = hf.HubertConfig(
        **SMALL, **CONVOLUTIONS, **ids_of(processor.tokenizer), ctc_loss_reduction="mean", feat_extract_norm="layer",
        do_stable_layer_norm=True, mask_time_prob=0.05, layerdrop=0.0,
    )  # fmt: skip
    model = hf.HubertForCTC(config)
    model.freeze_feature_encoder()
    return {**ctc_facts(model, processor, utterances(), 2e-3), "tokenizer": processor.tokenizer}


@setup
def wav2vec2_bert_ctc() -> Facts:
    """Wav2Vec2-BERT on filter banks, as in its fine-tuning post."""
    processor = hf.Wav2Vec2BertProcessor(hf.SeamlessM4TFeatureExtractor(), letters())
    sizes = {**SMALL, "hidden_act": "swish", "conv_depthwise_kernel_size": 7, "left_max_position_embeddings": 16}
    config = hf.Wav2Vec2BertConfig(
        **sizes, **ids_of(processor.tokenizer), ctc_loss_reduction="mean", mask_time_prob=0.0, layerdrop=0.0,
        attention_dropout=0.0, hidden_dropout=0.0, feat_proj_dropout=0.0, right_max_position_embeddings=4,
    )  # fmt: skip
    model = hf.Wav2Vec2BertForCTC(config)
    facts = ctc_facts(model, processor, utterances(), 5e-4, "input_features")
    return {**facts, "scheduler": hf.get_constant_schedule_with_warmup(facts["optimizer"], 5)}


@setup
def speecht5_asr() -> Facts:
    """SpeechT5 for recognition, letter by letter."""
    rows = utterances(32)
    tokenizer = hf.SpeechT5Tokenizer(sentencepiece_file(tuple(row["sentence"] for row in rows), "char", 60))
    processor = hf.SpeechT5Processor(hf.SpeechT5FeatureExtractor(), tokenizer)
    sizes = {"hidden_size": 48, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4}
    sizes |= {"decoder_attention_heads": 4, "encoder_ffn_dim": 96, "decoder_ffn_dim": 96}
    config = hf.SpeechT5Config(**sizes, **CONVOLUTIONS, **ids_of(tokenizer), mask_time_prob=0.0, max_text_positions=80)
    model = hf.SpeechT5ForSpeechToText(config)
    dataset = [
        {key: values[0] for key, values in processor(
            audio=row["audio"]["array"], sampling_rate=RATE, text_target=[row["sentence"]]).items()
         if key in ("input_values", "labels")}
        for row in rows
    ]  # fmt: skip

    def collate(features: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        values = [{"input_values": feature["input_values"]} for feature in features]
        labels = [{"input_ids": feature["labels"]} for feature in features]
        batch = processor.pad(input_values=values, labels=labels, return_tensors="pt")
        mask = batch.pop("decoder_attention_mask")
        batch["labels"] = batch["labels"].masked_fill(mask.ne(1), -100)
        return batch

    return dataset_facts(model, dataset, collate, 4, 1e-3) | {"tokenizer": tokenizer}


@setup
def wavlm_commands() -> Facts:
    """WavLM tells six commands apart, spoken at several pitches, with silence before and after."""
    names = ["yes", "no", "stop", "go", "left", "right"]
    extractor = hf.Wav2Vec2FeatureExtractor(return_attention_mask=True)
    dataset = []
    for number in range(60):
        label = number % len(names)
        audio = speech(names[label], 0.9 + 0.02 * (number // 6), 0.08)
        padded = np.pad(audio, (400 * (number % 5), 300 * (number % 7)))
        dataset.append({"input_values": extractor(padded, sampling_rate=RATE)["input_values"][0], "label": label})

    def collate(items: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        batch = extractor.pad([{"input_values": item["input_values"]} for item in items], return_tensors="pt")
        batch["labels"] = torch.tensor([item["label"] for item in items])
        return batch

    labels = {"id2label": dict(enumerate(names)), "label2id": {name: n for n, name in enumerate(names)}}
    config = hf.WavLMConfig(**SMALL, **CONVOLUTIONS, **labels, classifier_proj_size=32, mask_time_prob=0.0,
                            num_buckets=32, max_bucket_distance=64)  # fmt: skip
    model = hf.WavLMForSequenceClassification(config)

    def compute_metrics(predictions: np.ndarray, labels: np.ndarray) -> dict[str, float]:
        return {"accuracy": float((predictions.argmax(-1) == labels).mean())}

    batches = DataLoader(dataset, batch_size=12, shuffle=True, collate_fn=collate)
    optimizer = AdamW(model.parameters(), lr=2e-3)
    return {"model": model, "train_batches": batches, "optimizer": optimizer, "compute_metrics": compute_metrics}
