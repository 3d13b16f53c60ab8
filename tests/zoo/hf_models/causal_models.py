"""Causal language models: packed blocks, prompts that are not scored, chats, padding on the left."""

from __future__ import annotations

from itertools import chain
from typing import Any

import torch
import transformers as hf
from datasets import Dataset
from torch.nn.utils.rnn import pad_sequence
from torch.optim import AdamW
from torch.utils.data import DataLoader

from tests.zoo.hf_models._sounds import ids_of
from tests.zoo.hf_models._texts import byte_pieces, metaspace_pieces, sentences, translations
from tests.zoo.registry import Facts, setup

BLOCK = 32
LLAMA = {"hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4}
LLAMA |= {"num_key_value_heads": 2, "max_position_embeddings": 128}
TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
)


def blocks(tokenizer: Any, texts: list[str]) -> Dataset:
    """`group_texts` of run_clm.py: all texts in a row, each with its end, cut into blocks."""
    ids = list(chain.from_iterable([*tokenizer(text).input_ids, tokenizer.eos_token_id] for text in texts))
    cut = [ids[start : start + BLOCK] for start in range(0, len(ids) // BLOCK * BLOCK, BLOCK)]
    ones = [[1] * BLOCK for _ in cut]
    return Dataset.from_dict({"input_ids": cut, "attention_mask": ones, "labels": [list(block) for block in cut]})


@setup(short=True)
def gpt2_blocks() -> Facts:
    """GPT-2 on packed blocks, as run_clm.py trains it; weights decay but norms and biases do not."""
    texts = sentences(200)
    tokenizer = hf.GPT2Tokenizer(*byte_pieces(tuple(texts), ("<|endoftext|>",)))
    sizes = {"n_embd": 48, "n_layer": 2, "n_head": 4, "n_positions": BLOCK, "vocab_size": len(tokenizer)}
    model = hf.GPT2LMHeadModel(hf.GPT2Config(**sizes, bos_token_id=0, eos_token_id=0))
    dataset = blocks(tokenizer, texts)
    plain = [p for p in model.parameters() if p.dim() < 2]
    decayed = [p for p in model.parameters() if p.dim() >= 2]
    groups = [{"params": decayed, "weight_decay": 0.1}, {"params": plain, "weight_decay": 0.0}]
    optimizer = AdamW(groups, lr=1e-3, betas=(0.9, 0.95))
    return {
        "model": model,
        "tokenizer": tokenizer,
        "train_dataset": dataset,
        "collate": hf.default_data_collator,
        "train_batches": DataLoader(dataset, batch_size=8, shuffle=True, collate_fn=hf.default_data_collator),
        "optimizer": optimizer,
        "scheduler": hf.get_cosine_schedule_with_warmup(optimizer, 5, 300),
        "total_steps": 300,
    }


@setup
def mamba_blocks() -> Facts:
    """Mamba on the same blocks, without attention and without a mask."""
    texts = sentences(100)
    tokenizer = hf.GPT2Tokenizer(*byte_pieces(tuple(texts), ("<|endoftext|>",)))
    sizes = {"hidden_size": 32, "state_size": 8, "num_hidden_layers": 2, "vocab_size": len(tokenizer)}
    model = hf.MambaForCausalLM(hf.MambaConfig(**sizes, pad_token_id=0, bos_token_id=0, eos_token_id=0))
    rows = [torch.tensor(row) for row in blocks(tokenizer, texts)["input_ids"]]
    batches = DataLoader(rows, batch_size=8, shuffle=True, collate_fn=_twice)
    return {"model": model, "train_batches": batches, "optimizer": AdamW(model.parameters(), lr=2e-3)}


def _twice(rows: list[torch.Tensor]) -> dict[str, torch.Tensor]:
    return {"input_ids": torch.stack(rows), "labels": torch.stack(rows)}


@setup
def llama_prompt_masked() -> Facts:
    """Llama answers a prompt; only the answer and its end are scored."""
    pairs = translations()
    texts = tuple(f"### English: {a}\n### French: {b}" for a, b in pairs)
    tokenizer = hf.LlamaTokenizer(*metaspace_pieces(texts, ("<unk>", "<s>", "</s>", "<pad>")), add_bos_token=True,
                                  pad_token="<pad>")  # fmt: skip
    model = hf.LlamaForCausalLM(hf.LlamaConfig(**LLAMA, **ids_of(tokenizer)))
    rows = []
    for english, french in pairs:
        prompt = tokenizer(f"### English: {english}\n### French:").input_ids
        answer = [*tokenizer(french, add_special_tokens=False).input_ids, tokenizer.eos_token_id]
        rows.append({"input_ids": prompt + answer, "labels": [-100] * len(prompt) + answer})

    def collate(items: list[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
        ids = [torch.tensor(item["input_ids"]) for item in items]
        labels = [torch.tensor(item["labels"]) for item in items]
        ones = [torch.ones_like(row) for row in ids]
        return {
            "input_ids": pad_sequence(ids, batch_first=True, padding_value=tokenizer.pad_token_id),
            "attention_mask": pad_sequence(ones, batch_first=True),
            "labels": pad_sequence(labels, batch_first=True, padding_value=-100),
        }

    optimizer = AdamW(model.parameters(), lr=2e-3)
    return {
        "model": model,
        "tokenizer": tokenizer,
        "train_dataset": rows,
        "collate": collate,
        "train_batches": DataLoader(rows, batch_size=8, shuffle=True, collate_fn=collate),
        "optimizer": optimizer,
        "scheduler": hf.get_cosine_schedule_with_warmup(optimizer, 5, 200),
    }


def chat_tokenizer(texts: tuple[str, ...]) -> hf.Qwen2Tokenizer:
    """Padding is <|endoftext|>, a message ends with <|im_end|>."""
    specials = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
    tokenizer = hf.Qwen2Tokenizer(*byte_pieces(texts, specials), eos_token="<|im_end|>")
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    tokenizer.chat_template = TEMPLATE
    return tokenizer


@setup
def qwen2_chat() -> Facts:
    """Qwen2 learns whole chats; the collator for language modelling pads them and copies the ids."""
    pairs = translations()
    tokenizer = chat_tokenizer(tuple(text for pair in pairs for text in pair))
    model = hf.Qwen2ForCausalLM(hf.Qwen2Config(**LLAMA, **ids_of(tokenizer), tie_word_embeddings=True))
    rows = []
    for english, french in pairs:
        messages = [{"role": "user", "content": english}, {"role": "assistant", "content": french}]
        rows.append(tokenizer(tokenizer.apply_chat_template(messages, tokenize=False)))
    collate = hf.DataCollatorForLanguageModeling(tokenizer, mlm=False)
    batches = DataLoader(rows, batch_size=8, shuffle=True, collate_fn=collate)
    optimizer = AdamW(model.parameters(), lr=1e-3)
    return {"model": model, "tokenizer": tokenizer, "train_batches": batches, "optimizer": optimizer}


@setup
def qwen2_left_padded() -> Facts:
    """Qwen2 with prompts that are not scored, padded on the left by the collator for seq2seq."""
    pairs = translations()
    tokenizer = chat_tokenizer(tuple(text for pair in pairs for text in pair))
    tokenizer.padding_side = "left"
    model = hf.Qwen2ForCausalLM(hf.Qwen2Config(**LLAMA, **ids_of(tokenizer)))
    rows = []
    for english, french in pairs:
        prompt = tokenizer(f"<|im_start|>user\n{english}<|im_end|>\n<|im_start|>assistant\n").input_ids
        answer = tokenizer(f"{french}<|im_end|>").input_ids
        ones = [1] * len(prompt + answer)
        rows.append({"input_ids": prompt + answer, "attention_mask": ones, "labels": [-100] * len(prompt) + answer})
    collate = hf.DataCollatorForSeq2Seq(tokenizer, label_pad_token_id=-100)
    batches = DataLoader(rows, batch_size=8, shuffle=True, collate_fn=collate)
    return {"model": model, "train_batches": batches, "optimizer": AdamW(model.parameters(), lr=1e-3)}
