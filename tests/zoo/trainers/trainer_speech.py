"""The shape of the official speech scripts: CTC, Whisper, classification and wav2vec 2.0 pretraining."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jiwer
import numpy as np
import torch
from datasets import Dataset
from transformers import (
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    Trainer,
    Wav2Vec2Config,
    Wav2Vec2CTCTokenizer,
    Wav2Vec2FeatureExtractor,
    Wav2Vec2ForCTC,
    Wav2Vec2ForPreTraining,
    Wav2Vec2ForSequenceClassification,
    Wav2Vec2Processor,
    WhisperConfig,
    WhisperFeatureExtractor,
    WhisperForConditionalGeneration,
)
from transformers.models.wav2vec2.modeling_wav2vec2 import _compute_mask_indices, _sample_negative_indices

from tests.zoo.registry import Facts, setup
from tests.zoo.trainers.trainer_kit import arguments, draw, folder, spell, tone, words_tokenizer

LETTERS = "adehort"
NAMES = ["dot", "her", "road", "heat", "tor", "oat", "the hat", "a door"]


def wav2vec2(**more: Any) -> Wav2Vec2Config:
    """A small configuration: one output for every 160 samples."""
    convolutions = {"conv_dim": (32, 32, 32), "conv_kernel": (10, 8, 4), "conv_stride": (8, 5, 4)}
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    positions = {"num_conv_pos_embeddings": 16, "num_conv_pos_embedding_groups": 2, "mask_time_length": 2}
    return Wav2Vec2Config(**convolutions, **sizes, **positions, feat_extract_norm="layer", **more)


@dataclass
class DataCollatorCTCWithPadding:
    """As run_speech_recognition_ctc.py has it."""

    processor: Any
    padding: Any = "longest"

    def __call__(self, features: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        inputs = [{"input_values": feature["input_values"]} for feature in features]
        batch = self.processor.pad(inputs, padding=self.padding, return_tensors="pt")
        label_features = [{"input_ids": feature["labels"]} for feature in features]
        labels = self.processor.pad(labels=label_features, padding=self.padding, return_tensors="pt")
        batch["labels"] = labels["input_ids"].masked_fill(labels.attention_mask.ne(1), -100)
        if "attention_mask" in batch:
            batch["attention_mask"] = batch["attention_mask"].to(torch.long)
        return batch


def _extractor() -> Wav2Vec2FeatureExtractor:
    return Wav2Vec2FeatureExtractor(sampling_rate=16_000, do_normalize=True, return_attention_mask=True)


@setup
def ctc_speech_trainer() -> Facts:
    """run_speech_recognition_ctc: letters from tones, WER as the metric."""
    place = Path(folder()) / "vocab.json"
    vocabulary = {token: n for n, token in enumerate([*LETTERS, "|", "[UNK]", "[PAD]"])}
    place.write_text(json.dumps(vocabulary))
    tokenizer = Wav2Vec2CTCTokenizer(str(place), unk_token="[UNK]", pad_token="[PAD]", word_delimiter_token="|")
    processor = Wav2Vec2Processor(feature_extractor=_extractor(), tokenizer=tokenizer)

    def prepare(row: Any) -> Any:
        values = processor.feature_extractor(row["audio"], sampling_rate=16_000)["input_values"][0]
        return {"input_values": values, "input_length": len(values), "labels": tokenizer(row["text"]).input_ids}

    def compute_metrics(pred: Any) -> dict[str, float]:
        label_ids = np.where(pred.label_ids == -100, tokenizer.pad_token_id, pred.label_ids)
        pred_ids = pred.predictions[0] if isinstance(pred.predictions, tuple) else pred.predictions
        pred_ids = np.where(pred_ids == -100, tokenizer.pad_token_id, pred_ids)
        pred_str = tokenizer.batch_decode(pred_ids)
        label_str = tokenizer.batch_decode(label_ids, group_tokens=False)
        return {"wer": jiwer.wer(label_str, pred_str)}

    ends = {"ctc_loss_reduction": "mean", "pad_token_id": tokenizer.pad_token_id, "vocab_size": len(tokenizer)}
    model = Wav2Vec2ForCTC(wav2vec2(**ends, mask_time_prob=0.0, layerdrop=0.0))
    model.freeze_feature_encoder()
    return _trainer(
        model,
        _spoken(96).map(prepare, remove_columns=["audio", "text"]),
        DataCollatorCTCWithPadding(processor),
        processing_class=processor,
        compute_metrics=compute_metrics,
        preprocess_logits_for_metrics=lambda logits, labels: (torch.argmax(logits, dim=-1), labels),
    )


def _spoken(count: int, lowest: float = 200) -> Dataset:
    texts = [draw(NAMES) for _ in range(count)]
    return Dataset.from_dict({"audio": [spell(text, lowest) for text in texts], "text": texts})


@dataclass
class DataCollatorSpeechSeq2SeqWithPadding:
    """As run_speech_recognition_seq2seq.py has it."""

    processor: Any
    decoder_start_token_id: int

    def __call__(self, features: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        inputs = [{"input_features": feature["input_features"]} for feature in features]
        batch = self.processor.feature_extractor.pad(inputs, return_tensors="pt")
        label_features = [{"input_ids": feature["labels"]} for feature in features]
        labels = self.processor.tokenizer.pad(label_features, return_tensors="pt")
        ids = labels["input_ids"].masked_fill(labels.attention_mask.ne(1), -100)
        if (ids[:, 0] == self.decoder_start_token_id).all().cpu().item():
            ids = ids[:, 1:]
        batch["labels"] = ids
        return batch


class Letters:
    """A processor of Whisper's shape around a tokenizer that is made in code."""

    def __init__(self, feature_extractor: Any, tokenizer: Any) -> None:
        self.feature_extractor, self.tokenizer = feature_extractor, tokenizer


def whisper_parts(lowest: float = 200) -> tuple[Any, Any, Dataset, Any]:
    """The processor, the model, tokenized rows and the collator of run_speech_recognition_seq2seq."""
    tokenizer = words_tokenizer(last="[SEP]", bos_token="[CLS]", eos_token="[SEP]")
    tokenizer.add_tokens([*NAMES, "hat", "door"])
    extractor = WhisperFeatureExtractor(feature_size=20, chunk_length=1)
    processor = Letters(extractor, tokenizer)
    sides = {f"{part}_{what}": 2 for part in ("encoder", "decoder") for what in ("layers", "attention_heads")}
    sizes = {"d_model": 32, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "num_mel_bins": 20}
    ends = {"max_source_positions": 50, "max_target_positions": 32, "pad_token_id": 0, "begin_suppress_tokens": None}
    ids = {"decoder_start_token_id": 2, "bos_token_id": 2, "eos_token_id": 3, "suppress_tokens": None}
    model = WhisperForConditionalGeneration(WhisperConfig(vocab_size=len(tokenizer), **sides, **sizes, **ends, **ids))
    model.generation_config.max_length = 16

    def prepare(row: Any) -> Any:
        features = extractor(row["audio"], sampling_rate=16_000).input_features[0]
        return {
            "input_features": features,
            "input_length": len(row["audio"]),
            "labels": tokenizer(row["text"]).input_ids,
        }

    rows = _spoken(72, lowest).map(prepare, remove_columns=["audio", "text"])
    return processor, model, rows, DataCollatorSpeechSeq2SeqWithPadding(processor, model.config.decoder_start_token_id)


@setup
def whisper_trainer() -> Facts:
    """run_speech_recognition_seq2seq: generated words, WER as the metric."""
    processor, model, rows, collator = whisper_parts()
    tokenizer = processor.tokenizer

    def compute_metrics(pred: Any) -> dict[str, float]:
        pred.label_ids[pred.label_ids == -100] = tokenizer.pad_token_id
        pred_str = tokenizer.batch_decode(pred.predictions, skip_special_tokens=True)
        label_str = tokenizer.batch_decode(pred.label_ids, skip_special_tokens=True)
        return {"wer": jiwer.wer(label_str, pred_str)}

    generation = {"predict_with_generate": True, "generation_max_length": 16}
    return _trainer(
        model,
        rows,
        collator,
        Seq2SeqTrainer,
        arguments(Seq2SeqTrainingArguments, **generation),
        processing_class=processor.feature_extractor,
        compute_metrics=compute_metrics,
    )


@setup
def audio_classes_trainer() -> Facts:
    """run_audio_classification: rows sorted by class, a random second of each, made when a row is read."""
    extractor = Wav2Vec2FeatureExtractor(sampling_rate=16_000, do_normalize=True, return_attention_mask=False)
    labels = [number // 16 for number in range(48)]
    sounds = [tone(300 + 500 * label, 6400 + int(torch.randint(1600, ()))) for label in labels]

    def transform(rows: Any) -> dict[str, Any]:
        starts = [int(torch.randint(len(audio) - 4000, ())) for audio in rows["audio"]]
        cut = [np.asarray(audio[s : s + 4000]) for audio, s in zip(rows["audio"], starts, strict=True)]
        inputs = extractor(cut, sampling_rate=16_000)
        return {"input_values": inputs["input_values"], "labels": list(rows["label"])}

    def compute_metrics(eval_pred: Any) -> dict[str, float]:
        return {"accuracy": float((np.argmax(eval_pred.predictions, axis=1) == eval_pred.label_ids).mean())}

    def from_the_start(rows: Any) -> dict[str, Any]:
        inputs = extractor([np.asarray(audio[:4000]) for audio in rows["audio"]], sampling_rate=16_000)
        return {"input_values": inputs["input_values"], "labels": list(rows["label"])}

    rows = Dataset.from_dict({"audio": sounds, "label": labels})
    model = Wav2Vec2ForSequenceClassification(wav2vec2(num_labels=3, mask_time_prob=0.0, layerdrop=0.0))
    trainer = Trainer(
        model=model,
        args=arguments(remove_unused_columns=False),
        train_dataset=rows.with_transform(transform),
        eval_dataset=rows.select(range(0, 48, 3)).with_transform(from_the_start),
        compute_metrics=compute_metrics,
        processing_class=extractor,
    )
    return {"trainer": trainer}


@dataclass
class DataCollatorForWav2Vec2Pretraining:
    """As run_wav2vec2_pretraining_no_trainer.py has it."""

    model: Any
    feature_extractor: Any

    def __call__(self, features: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        batch = self.feature_extractor.pad(features, padding="longest", return_tensors="pt")
        rows = len(batch["input_values"])
        length = int(self.model._get_feat_extract_output_lengths(batch["input_values"].shape[-1]))
        mask = batch["attention_mask"] = batch["attention_mask"].to(torch.long)
        mask = self.model._get_feature_vector_attention_mask(length, mask)
        indices = _compute_mask_indices((rows, length), 0.5, 2, attention_mask=mask)
        negatives = _sample_negative_indices((rows, length), self.model.config.num_negatives, indices)
        batch["mask_time_indices"] = torch.tensor(indices, dtype=torch.long)
        batch["sampled_negative_indices"] = torch.tensor(negatives, dtype=torch.long)
        return batch


class Wav2Vec2PreTrainer(Trainer):
    """The loss is a sum over the masked places; the mean is trained on."""

    def compute_loss(self, model, inputs, return_outputs=False, num_items_in_batch=None):
        outputs = model(**inputs)
        loss = outputs.loss / inputs["mask_time_indices"].sum()
        return (loss, outputs) if return_outputs else loss


@setup
def speech_pretraining_trainer() -> Facts:
    """run_wav2vec2_pretraining: contrastive, with masks and negatives drawn by the collator."""
    extractor = _extractor()

    def prepare(row: Any) -> Any:
        return {"input_values": extractor(row["audio"], sampling_rate=16_000)["input_values"][0]}

    quantizer = {"codevector_dim": 16, "num_codevectors_per_group": 8, "proj_codevector_dim": 16, "num_negatives": 8}
    model = Wav2Vec2ForPreTraining(wav2vec2(**quantizer, do_stable_layer_norm=True, layerdrop=0.0))
    rows = _spoken(64).map(prepare, remove_columns=["audio", "text"])
    collator = DataCollatorForWav2Vec2Pretraining(model, extractor)
    return _trainer(model, rows, collator, Wav2Vec2PreTrainer, processing_class=extractor)


def _trainer(model: Any, rows: Dataset, collator: Any, kind: Any = Trainer, args: Any = None, **more: Any) -> Facts:
    parts = rows.train_test_split(test_size=16, seed=0)
    trainer = kind(
        model=model,
        args=args or arguments(),
        train_dataset=parts["train"],
        eval_dataset=parts["test"],
        data_collator=collator,
        **more,
    )
    return {"trainer": trainer}
