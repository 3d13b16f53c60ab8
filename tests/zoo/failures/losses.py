"""Section 6: accumulation and label smoothing."""

from __future__ import annotations

from typing import Any

import torch
import transformers as hf
from torch import nn
from torch.utils.data import DataLoader

from tests.zoo.failures import _models as small
from tests.zoo.failures.cases import failure
from tests.zoo.failures.corpora import seq2seq_trainer
from tests.zoo.failures.parameters import commands
from tests.zoo.hf_models._sounds import DataCollatorSpeechSeq2SeqWithPadding
from tests.zoo.hf_models._texts import articles
from tests.zoo.registry import Facts
from tests.zoo.trainers.trainer_kit import arguments


class CountingTrainer(hf.Seq2SeqTrainer):
    """Divides by the number of labels of the whole accumulated batch."""

    def compute_loss(
        self, model: Any, inputs: Any, return_outputs: bool = False, num_items_in_batch: Any = None
    ) -> Any:
        outputs = model(**inputs)
        labels = inputs["labels"]
        total = nn.functional.cross_entropy(outputs.logits.flatten(0, 1), labels.flatten(), reduction="sum")
        loss = total / (num_items_in_batch if num_items_in_batch is not None else (labels != -100).sum())
        return (loss, outputs) if return_outputs else loss


@failure("loss_ga_inflated", "LOS013", "LOS004")
def whisper_with_accumulation(broken: bool) -> Facts:
    """Four micro-batches; the loss of each is not divided by four."""
    processor = small.whisper_processor()
    model = small.whisper(processor.tokenizer)
    rows = small.heard(processor, "input_features")
    kind = hf.Seq2SeqTrainer if broken else CountingTrainer
    options = {"gradient_accumulation_steps": 4, "per_device_train_batch_size": 2, "learning_rate": 1e-3}
    collate = DataCollatorSpeechSeq2SeqWithPadding(processor, model.config.decoder_start_token_id, mask=False)
    args = arguments(hf.Seq2SeqTrainingArguments, eval_strategy="no", **options)
    return {"trainer": kind(model=model, args=args, train_dataset=rows, data_collator=collate)}


def accumulating(facts: Facts, scale: float, weighted: bool) -> Facts:
    """A loop that sums four batches before it updates."""
    model, optimizer, criterion = facts["model"], facts["optimizer"], nn.CrossEntropyLoss()

    def accumulated_step(batches: Any) -> None:
        model.train()
        batches, total = list(batches), sum(len(batch[1]) for batch in batches)
        for frames, labels in batches:
            share = len(labels) / total if weighted else scale
            (criterion(model(frames), labels) * share).backward()
        optimizer.step()
        optimizer.zero_grad()

    return facts | {"accumulated_step": accumulated_step}


@failure("loss_scaled_with_accumulation", "LOS013", "LOS004", short=True)
def micro_batches_are_summed(broken: bool) -> Facts:
    """Nobody divides by the number of micro-batches."""
    return accumulating(commands(small.Tagger()), 1.0, weighted=not broken)


@failure("loss_attention_ignores_ga_tokens", "LOS013")
def mean_of_means_over_tokens(broken: bool) -> Facts:
    """Each micro-batch is a mean over its own tokens, of which there are few or many."""
    tokenizer = small.bart_tokenizer()
    model = small.bart(tokenizer, dropout=0.0)
    rows = [dict(tokenizer(a, text_target=b if n % 2 else f"{b} {a}")) for n, (a, b) in enumerate(articles())]
    collate = hf.DataCollatorForSeq2Seq(tokenizer, model=model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def accumulated_step(batches: Any) -> None:
        model.train()
        batches = list(batches)
        counts = [int((batch["labels"] != -100).sum()) for batch in batches]
        for batch, count in zip(batches, counts, strict=True):
            share = 1 / len(batches) if broken else count / sum(counts)
            (model(**batch).loss * share).backward()
        optimizer.step()
        optimizer.zero_grad()

    batches = DataLoader(rows, batch_size=2, shuffle=True, collate_fn=collate)
    return {"model": model, "train_batches": batches, "optimizer": optimizer, "accumulated_step": accumulated_step}


@failure("loss_label_smoothing_crash", "LOS003", "GRD019", short=True)
def smoothing_without_decoder_inputs(broken: bool) -> Facts:
    """The Trainer takes the labels away, and the collator made no decoder inputs."""
    tokenizer = small.t5_tokenizer()
    model = small.t5(tokenizer)
    collate = hf.DataCollatorForSeq2Seq(tokenizer, model=None if broken else model)
    options = {"label_smoothing_factor": 0.1, "learning_rate": 2e-3}
    return {"trainer": seq2seq_trainer(model, tokenizer, small.translated(tokenizer), None, collate, **options)}
