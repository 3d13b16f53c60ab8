"""TRL's trainers, which patch their models and collate in ways of their own."""

from __future__ import annotations

from typing import Any

from datasets import Dataset
from peft import LoraConfig
from transformers import LlamaConfig, LlamaForSequenceClassification
from trl import DPOConfig, DPOTrainer, KTOConfig, KTOTrainer, RewardConfig, RewardTrainer, SFTConfig, SFTTrainer

from tests.zoo.registry import Facts, setup
from tests.zoo.trainers.adapters import language, llama, pretrained
from tests.zoo.trainers.trainer_kit import (
    OBJECTS,
    SUBJECTS,
    VERBS,
    arguments,
    draw,
    reloaded,
    sentence,
    sometimes,
    words_tokenizer,
)


def _tokenizer() -> Any:
    return words_tokenizer(first="", last="", bos_token="[CLS]", eos_token="[SEP]")


@setup
def sft_trainer() -> Facts:
    """Supervised fine-tuning on plain text."""
    tokenizer = _tokenizer()
    few = [sentence() for _ in range(8)]
    rows = Dataset.from_dict({"text": [draw(few) for _ in range(96)]})
    return _trained(SFTTrainer, SFTConfig, llama(tokenizer), rows, tokenizer, max_length=32)


@setup
def sft_completions_trainer() -> Facts:
    """Supervised fine-tuning with LoRA on prompts and completions: only completions are scored."""
    tokenizer = _tokenizer()
    pairs = [(f"{draw(SUBJECTS)} {draw(VERBS)}", f" {draw(OBJECTS[:3])}{sometimes()}") for _ in range(96)]
    rows = Dataset.from_dict({"prompt": [p for p, _ in pairs], "completion": [c for _, c in pairs]})
    adapter = LoraConfig(r=8, lora_alpha=32, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM")
    model = pretrained(llama(tokenizer), language(tokenizer))
    return _trained(SFTTrainer, SFTConfig, model, rows, tokenizer, adapter, learning_rate=1e-2, max_length=32)


@setup
def dpo_trainer() -> Facts:
    """Direct preference optimisation: one kind of object is preferred."""
    tokenizer = _tokenizer()
    prompts = [f"{draw(SUBJECTS)} {draw(VERBS)}" for _ in range(64)]
    chosen, rejected = ([f" {draw(few)}{sometimes()}" for _ in prompts] for few in (OBJECTS[:4], OBJECTS[4:]))
    rows = Dataset.from_dict({"prompt": prompts, "chosen": chosen, "rejected": rejected})
    return _trained(DPOTrainer, DPOConfig, llama(tokenizer), rows, tokenizer, max_length=32)


@setup
def reward_trainer() -> Facts:
    """A reward model on pairs."""
    tokenizer = _tokenizer()
    prompts = [f"{draw(SUBJECTS)} {draw(VERBS)}" for _ in range(64)]
    chosen, rejected = ([f"{p} {draw(few)}{sometimes()}" for p in prompts] for few in (OBJECTS[:4], OBJECTS[4:]))
    rows = Dataset.from_dict({"chosen": chosen, "rejected": rejected})
    sizes = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    ids = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "num_labels": 1}
    model = LlamaForSequenceClassification(LlamaConfig(vocab_size=len(tokenizer), **sizes, **ids))
    evaluated = {"eval_strategy": "epoch", "max_length": 32}
    return _trained(RewardTrainer, RewardConfig, model, rows, tokenizer, held_out=16, **evaluated)


@setup
def kto_trainer() -> Facts:
    """Kahneman-Tversky optimization: answers are good or bad, said by a boolean; rows are taken in turn."""
    tokenizer = _tokenizer()
    prompts = [f"{draw(SUBJECTS)} {draw(VERBS)}" for _ in range(64)]
    liked = [number % 2 == 0 for number in range(64)]
    answers = [f" {draw(OBJECTS[:4] if good else OBJECTS[4:])}{sometimes()}" for good in liked]
    rows = Dataset.from_dict({"prompt": prompts, "completion": answers, "label": liked})
    return _trained(KTOTrainer, KTOConfig, llama(tokenizer), rows, tokenizer, max_length=32)


def _trained(
    kind: Any,
    config: Any,
    model: Any,
    rows: Dataset,
    tokenizer: Any,
    adapter: Any = None,
    held_out: int = 0,
    **more: Any,
) -> Facts:
    usual = {"eval_strategy": "no", "bf16": False, "gradient_checkpointing": False}
    trainer = kind(
        model=reloaded(model),
        args=arguments(config, **usual | more),
        train_dataset=rows.select(range(held_out, len(rows))),
        eval_dataset=rows.select(range(held_out)) if held_out else None,
        processing_class=tokenizer,
        peft_config=adapter,
    )
    return {"trainer": trainer}
