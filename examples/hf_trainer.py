"""A stock Seq2SeqTrainer around a tiny Whisper. Run it with --broken: the collator pads labels with the pad token."""

import sys
import tempfile

import torch
from transformers import (
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    WhisperConfig,
    WhisperForConditionalGeneration,
)

import diagnose

BROKEN = "--broken" in sys.argv
FRAMES, MELS, START, END, PAD = 48, 16, 1, 2, 0


def rows(count: int) -> list[dict]:
    """Speech-like rows: each of 12 tokens has a spectrum of its own, four frames long."""
    spectra = torch.randn(16, MELS)
    found = []
    for _ in range(count):
        tokens = torch.randint(4, 16, (int(torch.randint(4, 11, ())),))
        features = 0.1 * torch.randn(MELS, FRAMES)
        features[:, : 4 * len(tokens)] += spectra[tokens].repeat_interleave(4, 0).T
        found.append({"input_features": features, "labels": [*tokens.tolist(), END]})
    return found


def collate(items: list[dict]) -> dict:
    longest = max(len(item["labels"]) for item in items)
    padding = PAD if BROKEN else -100
    labels = [item["labels"] + [padding] * (longest - len(item["labels"])) for item in items]
    return {
        "input_features": torch.stack([item["input_features"] for item in items]),
        "labels": torch.tensor(labels),
    }


torch.manual_seed(0)
sizes = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2}
sizes |= {"decoder_attention_heads": 2, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "vocab_size": 16}
positions = {"max_source_positions": FRAMES // 2, "max_target_positions": 16, "num_mel_bins": MELS}
tokens = {"pad_token_id": PAD, "bos_token_id": START, "eos_token_id": END, "decoder_start_token_id": START}
special = {"suppress_tokens": None, "begin_suppress_tokens": None}
model = WhisperForConditionalGeneration(WhisperConfig(**sizes, **positions, **tokens, **special))
model.accepts_loss_kwargs = False

arguments = Seq2SeqTrainingArguments(
    output_dir=tempfile.mkdtemp(),
    per_device_train_batch_size=8,
    learning_rate=3e-3,
    max_steps=20,
    logging_steps=5,
    report_to="none",
    save_strategy="no",
    use_cpu=True,
)
trainer = Seq2SeqTrainer(
    model=model,
    args=arguments,
    train_dataset=rows(128),
    data_collator=collate,
    callbacks=[diagnose.PreflightCallback()],
)
trainer.train()
