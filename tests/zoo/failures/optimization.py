"""Section 8: learning rates, schedules, weight decay."""

from __future__ import annotations

from typing import Any

import torch
import transformers as hf
from torch import nn
from torch.utils.data import DataLoader

from tests.zoo.failures._models import Tagger, heard, t5, t5_tokenizer, translated, wav2vec2_processor
from tests.zoo.failures.audio_data import ctc_loop
from tests.zoo.failures.cases import failure
from tests.zoo.failures.parameters import commands
from tests.zoo.registry import Facts


@failure("opt_lr_too_high", "LRN020", short=True)
def rate_of_another_task(broken: bool) -> Facts:
    """A learning rate that is a thousand times too high."""
    model = nn.Sequential(nn.Flatten(), nn.Linear(800, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))
    facts = commands(model)
    return facts | {"optimizer": torch.optim.SGD(model.parameters(), lr=30.0 if broken else 0.03, momentum=0.9)}


@failure("opt_lr_too_high", "LRN020")
def ctc_at_the_rate_of_another_optimizer(broken: bool) -> Facts:
    """The rate of a recipe for Adadelta, used with AdamW."""
    processor = wav2vec2_processor()
    facts = ctc_loop(heard(processor), processor)
    return facts | {"optimizer": torch.optim.AdamW(facts["model"].parameters(), lr=1.0 if broken else 1e-3)}


@failure("opt_decay_on_norms", "PAR011")
def one_group_with_decay(broken: bool) -> Facts:
    """All parameters decay, norms and biases among them."""
    tokenizer = t5_tokenizer()
    model = t5(tokenizer)
    parameters = list(model.parameters())
    plain = [p for p in parameters if p.dim() < 2]
    groups: list[dict[str, Any]] = [{"params": [p for p in parameters if p.dim() >= 2]}]
    groups.append({"params": plain, "weight_decay": 0.1 if broken else 0.0})
    optimizer = torch.optim.AdamW(groups, lr=2e-3, weight_decay=0.1)
    collate = hf.DataCollatorForSeq2Seq(tokenizer, model=model)
    batches = DataLoader(translated(tokenizer), batch_size=8, shuffle=True, collate_fn=collate)
    return {"model": model, "train_batches": batches, "optimizer": optimizer}


class NormedTagger(Tagger):
    """A Tagger with a norm whose name the usual filter does not know."""

    def __init__(self) -> None:
        super().__init__()
        self.ln_out = nn.LayerNorm(32)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        return self.head(self.ln_out(self.lstm(frames)[0].mean(1)))


@failure("opt_decay_filter_misses", "PAR011", short=True)
def name_filter_misses_the_norm(broken: bool) -> Facts:
    """["bias", "LayerNorm.weight"] is looked for, and the norm is called ln_out."""
    model = NormedTagger()
    names = ["bias", "LayerNorm.weight"] if broken else ["bias", "ln_out.weight"]
    named = list(model.named_parameters())
    kept = [p for n, p in named if any(name in n for name in names)]
    others = [p for n, p in named if not any(name in n for name in names)]
    groups: list[dict[str, Any]] = [{"params": others, "weight_decay": 0.1}, {"params": kept, "weight_decay": 0.0}]
    return commands(model) | {"optimizer": torch.optim.AdamW(groups, lr=3e-3)}


@failure("ctc_blank_plateau", "LRN011", "LRN001", "LRN021", "LRN007", "LAB019")
def ctc_with_another_blank(broken: bool) -> Facts:
    """The targets hold the blank of the loss: the word separator is the blank."""
    processor = wav2vec2_processor()
    facts = ctc_loop(heard(processor), processor)
    blank = processor.tokenizer.word_delimiter_token_id if broken else processor.tokenizer.pad_token_id
    facts["model"].config.pad_token_id = blank
    return facts


@failure("ctc_blank_plateau", "LRN021", "LRN011", "LRN001")
def ctc_at_a_rate_that_does_nothing(broken: bool) -> Facts:
    """The rate of a large checkpoint, used for a small model from random weights over few updates."""
    processor = wav2vec2_processor()
    facts = ctc_loop(heard(processor), processor)
    optimizer = torch.optim.AdamW(facts["model"].parameters(), lr=1e-8 if broken else 1e-3)
    return facts | {"optimizer": optimizer, "total_steps": 60}
