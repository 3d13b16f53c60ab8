"""Section 1: old recipes, saved generation settings, dtypes of checkpoints, decoders that are not installed."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import soundfile
import torch
import transformers as hf
from datasets import Audio, Dataset
from torch.utils.data import DataLoader

from tests.zoo.failures._models import heard, spoken, t5, t5_tokenizer, translated, whisper, whisper_processor
from tests.zoo.failures.cases import failure
from tests.zoo.hf_models._sounds import RATE, DataCollatorSpeechSeq2SeqWithPadding
from tests.zoo.registry import Facts
from tests.zoo.trainers.trainer_kit import arguments, folder


@failure("env_torchaudio_needs_torchcodec", "ENV004", "DAT022", "DAT003")
def audio_column_needs_torchcodec(broken: bool) -> Facts:
    """A column of type Audio is decoded by a package that is not installed."""
    processor = whisper_processor()
    files = []
    for row in spoken():
        buffer = io.BytesIO()
        soundfile.write(buffer, row["audio"]["array"], RATE, format="WAV")
        files.append({"bytes": buffer.getvalue(), "path": None})
    table = Dataset.from_dict({"audio": files, "sentence": [row["sentence"] for row in spoken()]})
    table = table.cast_column("audio", Audio(sampling_rate=RATE, decode=broken))

    def prepare(row: dict[str, Any]) -> dict[str, Any]:
        audio = row["audio"]
        wave = audio["array"] if broken else soundfile.read(io.BytesIO(audio["bytes"]), dtype="float32")[0]
        features = processor.feature_extractor(wave, sampling_rate=RATE).input_features[0]
        return {"input_features": features, "labels": processor.tokenizer(row["sentence"]).input_ids}

    model = whisper(processor.tokenizer)
    pad = DataCollatorSpeechSeq2SeqWithPadding(processor, model.config.decoder_start_token_id, mask=False)

    def collate(rows: list[dict[str, Any]]) -> dict[str, torch.Tensor]:
        return pad([prepare(row) for row in rows])

    batches = DataLoader(table, batch_size=8, shuffle=True, collate_fn=collate)
    return {"model": model, "train_batches": batches, "optimizer": torch.optim.AdamW(model.parameters(), lr=1e-3)}


@failure("trn_v5_arguments", "CFG001", short=True)
def recipe_of_version_four(broken: bool) -> Facts:
    """The arguments are read from the YAML file of an older recipe."""
    options: dict[str, Any] = {"output_dir": folder(), "learning_rate": 1e-3, "num_train_epochs": 3, "seed": 1}
    options |= {"evaluation_strategy": "epoch"} if broken else {"eval_strategy": "epoch"}
    tokenizer = t5_tokenizer()
    model = t5(tokenizer)
    collate = hf.DataCollatorForSeq2Seq(tokenizer, model=model)
    batches = DataLoader(translated(tokenizer), batch_size=8, shuffle=True, collate_fn=collate)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    return {"model": model, "train_batches": batches, "optimizer": optimizer, "training_arguments": options}


def whisper_trainer(model: Any, processor: Any, rows: Any, collate: Any = None, **more: Any) -> hf.Seq2SeqTrainer:
    """The trainer of the fine-tuning post, without its metric."""
    collate = collate or DataCollatorSpeechSeq2SeqWithPadding(
        processor, model.config.decoder_start_token_id, mask=False
    )
    usual = {"predict_with_generate": True, "generation_max_length": 40, "learning_rate": 1e-3}
    options = arguments(hf.Seq2SeqTrainingArguments, **usual | more)
    parts = {"train_dataset": rows[8:], "eval_dataset": rows[:8], "data_collator": collate}
    return hf.Seq2SeqTrainer(model=model, args=options, **parts, processing_class=processor)


@failure("cfg_whisper_generation_saved", "GEN001", "GEN011", "GEN018")
def forced_ids_in_generation_config(broken: bool) -> Facts:
    """The generation settings of an old Whisper checkpoint force the first tokens, and one of them was removed."""
    processor = whisper_processor()
    model = whisper(processor.tokenizer)
    ids = processor.tokenizer.convert_tokens_to_ids(["<|en|>", "<|transcribe|>", "<|notimestamps|>"])
    model.generation_config.no_timestamps_token_id = ids[2]
    forced = [[1, ids[0]], [2, ids[1]], [3, ids[2]]]
    model.generation_config.forced_decoder_ids = forced[::2] if broken else forced
    return {"trainer": whisper_trainer(model, processor, heard(processor, "input_features"))}


@failure("prec_dtype_auto_v5", "PLC002", "GRD012", "PRE006")
def checkpoint_in_half_precision(broken: bool) -> Facts:
    """The checkpoint is stored in bfloat16, and from_pretrained keeps its dtype."""
    tokenizer, place = t5_tokenizer(), folder()
    t5(tokenizer).to(torch.bfloat16).save_pretrained(place)
    model = hf.T5ForConditionalGeneration.from_pretrained(place, **{} if broken else {"dtype": torch.float32})
    rows = translated(tokenizer)
    trainer = hf.Seq2SeqTrainer(
        model=model,
        args=arguments(hf.Seq2SeqTrainingArguments, eval_strategy="no"),
        train_dataset=rows,
        data_collator=hf.DataCollatorForSeq2Seq(tokenizer, model=model),
        processing_class=tokenizer,
    )
    return {"trainer": trainer}


@failure("cfg_length_as_string", "CFG020")
def learning_rate_read_from_yaml(broken: bool) -> Facts:
    """YAML reads 1e-3 as a string."""
    rows = [(torch.from_numpy(np.float32([n % 4 == k for k in range(8)])), n % 4) for n in range(64)]
    model = torch.nn.Linear(8, 4)
    rate: Any = "1e-3" if broken else 1e-3
    batches = DataLoader(rows, batch_size=8, shuffle=True)
    loss = torch.nn.CrossEntropyLoss()
    facts: Facts = {"model": model, "train_batches": batches, "compute_loss": lambda m, b: loss(m(b[0]), b[1])}
    facts["optimizer"] = torch.optim.SGD(model.parameters(), lr=0.5)
    return facts | {"training_arguments": {"learning_rate": rate, "seed": 3}}
