"""LoRA on a tiny Whisper. Run it with --broken: gradient checkpointing cuts the adapters off from the loss."""

import sys
import tempfile

import torch
from peft import LoraConfig, get_peft_model
from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, WhisperConfig, WhisperForConditionalGeneration

import diagnose

BROKEN = "--broken" in sys.argv
FRAMES, MELS, START, END, PAD = 48, 16, 1, 2, 0


def rows(count: int) -> list[dict]:
    """Each of 12 tokens has a spectrum of its own, four frames long."""
    spectra = torch.randn(16, MELS, generator=torch.Generator().manual_seed(7))
    found = []
    for _ in range(count):
        tokens = torch.randint(4, 16, (6,))
        features = 0.1 * torch.randn(MELS, FRAMES)
        features[:, :24] += spectra[tokens].repeat_interleave(4, 0).T
        found.append({"input_features": features, "labels": torch.tensor([*tokens.tolist(), END])})
    return found


def pretrained() -> WhisperForConditionalGeneration:
    """Stands for from_pretrained: a model that has learned something else for a moment."""
    sizes = {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 2}
    sizes |= {"decoder_attention_heads": 2, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64, "vocab_size": 16}
    positions = {"max_source_positions": FRAMES // 2, "max_target_positions": 16, "num_mel_bins": MELS}
    tokens = {"pad_token_id": PAD, "bos_token_id": START, "eos_token_id": END, "decoder_start_token_id": START}
    special = {"suppress_tokens": None, "begin_suppress_tokens": None}
    model = WhisperForConditionalGeneration(WhisperConfig(**sizes, **positions, **tokens, **special))
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(60):
        items = rows(16)
        batch = {name: torch.stack([item[name] for item in items]) for name in items[0]}
        model(**batch).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    return model


torch.manual_seed(0)
adapters = LoraConfig(r=8, lora_alpha=32, target_modules=["q_proj", "k_proj", "v_proj", "out_proj", "fc1", "fc2"])
model = get_peft_model(pretrained(), adapters)
if BROKEN:
    model.gradient_checkpointing_enable({"use_reentrant": True})

arguments = Seq2SeqTrainingArguments(
    output_dir=tempfile.mkdtemp(),
    per_device_train_batch_size=8,
    learning_rate=1e-2,
    max_steps=20,
    logging_steps=5,
    report_to="none",
    save_strategy="no",
    label_names=["labels"],
    use_cpu=True,
)
trainer = Seq2SeqTrainer(model=model, args=arguments, train_dataset=rows(128))
diagnose.preflight(trainer=trainer).require()
trainer.train()
