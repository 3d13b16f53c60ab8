"""LoRA of peft: on a causal language model, and on Whisper."""

from __future__ import annotations

from typing import Any

import torch
from datasets import Dataset
from peft import LoraConfig, get_peft_model
from transformers import (
    DataCollatorForLanguageModeling,
    LlamaConfig,
    LlamaForCausalLM,
    Seq2SeqTrainer,
    Seq2SeqTrainingArguments,
    Trainer,
)

from tests.zoo.registry import Facts, setup
from tests.zoo.trainers.trainer_kit import arguments, draw, reloaded, sentence, words_tokenizer
from tests.zoo.trainers.trainer_speech import whisper_parts


def llama(tokenizer: Any) -> LlamaForCausalLM:
    """A small Llama for this tokenizer."""
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    ids = {"pad_token_id": 0, "bos_token_id": tokenizer.bos_token_id, "eos_token_id": tokenizer.eos_token_id}
    return LlamaForCausalLM(LlamaConfig(vocab_size=len(tokenizer), max_position_embeddings=128, **sizes, **ids))


def pretrained(model: Any, batches: Any, steps: int = 300) -> Any:
    """The model after some training, read from a checkpoint: adapters belong to models that know something."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    for step in range(steps):
        optimizer.zero_grad()
        model(**batches[step % len(batches)]).loss.backward()
        optimizer.step()
    return reloaded(model)


def language(tokenizer: Any) -> list[dict[str, Any]]:
    """Batches of any sentences."""
    collate = DataCollatorForLanguageModeling(tokenizer, mlm=False)
    return [collate([tokenizer(sentence()) for _ in range(16)]) for _ in range(16)]


@setup
def lora_words_trainer() -> Facts:
    """Adapters of a causal language model; labels by the collator."""
    tokenizer = words_tokenizer(bos_token="[CLS]", eos_token="[SEP]")
    few = [sentence() for _ in range(8)]
    raw = Dataset.from_dict({"quote": [draw(few) for _ in range(96)]})
    rows = raw.map(lambda rows: tokenizer(rows["quote"]), batched=True)
    adapter = LoraConfig(r=8, lora_alpha=32, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
    trainer = Trainer(
        model=get_peft_model(pretrained(llama(tokenizer), language(tokenizer)), adapter),
        args=arguments(learning_rate=1e-2, eval_strategy="no"),
        train_dataset=rows,
        processing_class=tokenizer,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    )
    return {"trainer": trainer}


@setup
def lora_whisper_trainer() -> Facts:
    """Adapters of Whisper, with the arguments of peft's own example."""
    processor, model, rows, collator = whisper_parts()
    adapter = LoraConfig(r=8, lora_alpha=64, target_modules=["q_proj", "v_proj"], lora_dropout=0.05, bias="none")
    parts = rows.train_test_split(test_size=16, seed=0)
    _, _, others, _ = whisper_parts(lowest=240)  # another voice
    model = pretrained(model, [collator([others[n + k] for k in range(8)]) for n in range(0, 64, 8)], 200)
    trainer = Seq2SeqTrainer(
        model=get_peft_model(model, adapter),
        args=arguments(
            Seq2SeqTrainingArguments,
            learning_rate=1e-2,
            remove_unused_columns=False,
            label_names=["labels"],
            generation_max_length=16,
        ),
        train_dataset=parts["train"],
        eval_dataset=parts["test"],
        data_collator=collator,
        processing_class=processor.feature_extractor,
    )
    return {"trainer": trainer}
