"""An mT5 of two layers that shortens a sentence to its first words."""

from typing import Any

from transformers import MT5Config, MT5ForConditionalGeneration

from probes.subjects.evaluation import generate_from, sequence_facts
from probes.subjects.tone_corpus import HELD_OUT, SENTENCES, masked_labels, tokenizer

ITEMS, EVAL_ITEMS = (
    [{"document": text, "transcript": " ".join(text.split()[:3])} for text in texts] for texts in (SENTENCES, HELD_OUT)
)


def collate(items: list[dict[str, Any]]) -> dict[str, Any]:
    encoded = tokenizer()([item["document"] for item in items], padding=True, return_tensors="pt")
    labels = masked_labels(tokenizer(), items)
    return {"input_ids": encoded["input_ids"], "attention_mask": encoded["attention_mask"], "labels": labels}


def mt5() -> dict[str, Any]:
    ids = tokenizer()
    config = MT5Config(
        vocab_size=len(ids),
        d_model=32,
        d_kv=16,
        d_ff=64,
        num_layers=2,
        num_heads=2,
        pad_token_id=ids.pad_token_id,
        eos_token_id=ids.eos_token_id,
        decoder_start_token_id=ids.pad_token_id,
    )
    model = MT5ForConditionalGeneration(config)
    model.generation_config.max_length = 40
    return sequence_facts(model, collate, ids, generate_from("input_ids"), dataset=ITEMS, held_out=EVAL_ITEMS)
