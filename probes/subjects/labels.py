"""Labels as they should be: -100 exactly on padding, by the attention mask and not by id."""

from typing import Any

import torch


def masked_labels(tokenizer: Any, items: list[dict[str, Any]]) -> torch.Tensor:
    encoded = tokenizer([item["transcript"] for item in items], padding=True, return_tensors="pt")
    return encoded["input_ids"].masked_fill(encoded["attention_mask"] == 0, -100)
