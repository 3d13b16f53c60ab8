"""Section 8: schedules of the learning rate."""

from __future__ import annotations

from typing import Any

import torch
import transformers as hf

from tests.zoo.failures._models import Tagger, t5, t5_tokenizer, translated
from tests.zoo.failures.cases import failure
from tests.zoo.failures.corpora import seq2seq_trainer
from tests.zoo.failures.parameters import commands
from tests.zoo.registry import Facts
from tests.zoo.trainers.trainer_kit import folder


@failure("opt_warmup_never_ends", "CFG003", "LRN021", "CFG005", short=True)
def warmup_of_ten_thousand_steps(broken: bool) -> Facts:
    """The warm-up of the recipe is longer than this run."""
    tokenizer = t5_tokenizer()
    options = {"warmup_steps": 10_000 if broken else 5, "learning_rate": 2e-3}
    return {"trainer": seq2seq_trainer(t5(tokenizer), tokenizer, translated(tokenizer), **options)}


@failure("opt_warmup_never_ends", "CFG003", "LRN021", "CFG005")
def warmup_in_a_plain_loop(broken: bool) -> Facts:
    """The same with a scheduler of one's own and the number of updates."""
    facts = commands(Tagger())
    scheduler = hf.get_linear_schedule_with_warmup(
        facts["optimizer"], 5000 if broken else 20, 10_000 if broken else 240
    )
    return facts | {"scheduler": scheduler, "total_steps": 240}


def stepping(facts: Facts, often: int, schedule: Any, total: int) -> Facts:
    """A training step of one's own that updates at every fourth call, and steps the schedule at every `often`-th."""
    model, optimizer, compute_loss = facts["model"], facts["optimizer"], facts["compute_loss"]
    state = {"calls": 0}

    def training_step(batch: Any) -> float:
        model.train()
        loss = compute_loss(model, batch)
        (loss / 4).backward()
        state["calls"] += 1
        if state["calls"] % 4 == 0:
            optimizer.step()
            optimizer.zero_grad()
        if state["calls"] % often == 0:
            schedule.step()
        return float(loss)

    return facts | {"training_step": training_step, "scheduler": schedule, "total_steps": total}


@failure("opt_scheduler_per_micro_batch", "CFG005", "CFG004")
def schedule_stepped_at_every_micro_batch(broken: bool) -> Facts:
    """The schedule is made for the updates and stepped at every micro-batch."""
    facts = commands(Tagger())
    schedule = hf.get_linear_schedule_with_warmup(facts["optimizer"], 0, 300)
    return stepping(facts, 1 if broken else 4, schedule, 300)


@failure("opt_rate_zero_after_a_quarter", "CFG005", "CFG004", short=True)
def rate_is_zero_after_a_quarter(broken: bool) -> Facts:
    """The schedule ends after a quarter of the updates."""
    facts = commands(Tagger())
    scheduler = hf.get_linear_schedule_with_warmup(facts["optimizer"], 0, 100 if broken else 400)
    return facts | {"scheduler": scheduler, "total_steps": 400}


@failure("opt_rate_zero_after_a_quarter", "CFG005", "CFG004")
def schedule_of_the_trainer_is_short(broken: bool) -> Facts:
    """A scheduler of one's own in a Trainer, made for fewer updates."""
    tokenizer = t5_tokenizer()
    model = t5(tokenizer)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    scheduler = hf.get_linear_schedule_with_warmup(optimizer, 0, 16 if broken else 64)
    args = hf.Seq2SeqTrainingArguments(folder(), report_to="none", use_cpu=True, num_train_epochs=8)
    trainer = hf.Seq2SeqTrainer(
        model=model,
        args=args,
        train_dataset=translated(tokenizer),
        data_collator=hf.DataCollatorForSeq2Seq(tokenizer, model=model),
        optimizers=(optimizer, scheduler),
    )
    return {"trainer": trainer}
