"""Section 9: what evaluations count and keep."""

from __future__ import annotations

from typing import Any

import jiwer
import numpy as np
import torch
import transformers as hf
from torch.utils.data import DataLoader

from tests.zoo.failures._models import T5, bands, t5, t5_tokenizer, translated
from tests.zoo.failures.cases import failure
from tests.zoo.registry import Facts
from tests.zoo.trainers.trainer_kit import arguments


@failure("gen_wer_not_normalised", "GEN015", "GEN016")
def own_metric_with_a_case_mismatch(broken: bool) -> Facts:
    """The same with functions of one's own: predictions in small letters, labels as written."""
    tokenizer = t5_tokenizer()
    model = t5(tokenizer)
    batches = DataLoader(translated(tokenizer), 8, shuffle=True, collate_fn=hf.DataCollatorForSeq2Seq(tokenizer, model))

    def compute_metrics(predictions: Any, labels: Any) -> dict[str, float]:
        labels = np.where(np.asarray(labels) == -100, 0, labels)
        predictions = np.where(np.asarray(predictions) == -100, 0, predictions)
        texts = [tokenizer.batch_decode(ids, skip_special_tokens=True) for ids in (labels, predictions)]
        texts[1] = [text.lower().replace(".", "") for text in texts[1]]
        texts[0] = texts[0] if broken else [text.lower().replace(".", "") for text in texts[0]]
        return {"wer": jiwer.wer(*texts)}

    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    facts: Facts = {"model": model, "train_batches": batches, "optimizer": optimizer, "tokenizer": tokenizer}
    return facts | {"compute_metrics": compute_metrics}


class ManyRows:
    """As many rows as a large evaluation set has, each another."""

    def __init__(self, rows: int, start: int) -> None:
        self.rows, self.start = rows, start

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, number: int) -> dict[str, list[int]]:
        if number >= self.rows:
            raise IndexError(number)
        digits = [10 + int(digit) for digit in f"{self.start + number:07}"]
        return {"input_ids": [*digits, 1], "attention_mask": [1] * 8, "labels": [*[30 + d for d in digits], 1]}


@failure("gen_logits_oom", "GEN017", "GEN011")
def logits_of_the_whole_evaluation(broken: bool) -> Facts:
    """A Trainer without predict_with_generate gathers all logits of 300,000 rows and a large vocabulary."""
    model = hf.T5ForConditionalGeneration(hf.T5Config(**T5 | {"vocab_size": 8000, "decoder_start_token_id": 0}))
    test = ManyRows(300_000 if broken else 64, 50_000)
    trainer = hf.Seq2SeqTrainer(
        model=model,
        args=arguments(hf.Seq2SeqTrainingArguments, learning_rate=2e-3, predict_with_generate=False),
        train_dataset=ManyRows(96, 0),
        eval_dataset=test,
        data_collator=hf.default_data_collator,
        compute_metrics=lambda pred: {"accuracy": float((pred.predictions[0].argmax(-1) == pred.label_ids).mean())},
    )
    return {"trainer": trainer}


@failure("gen_eval_rows_counted_twice", "DAT057", "GEN015", "GEN011", "DAT032", "DST005", "DAT035", short=True)
def evaluation_rows_counted_twice(broken: bool) -> Facts:
    """The evaluation loader repeats rows to fill its last batch, as a distributed sampler does."""
    rows = bands(96 + 20)
    train, test = rows[:96], rows[96:]
    from torch.utils.data.distributed import DistributedSampler

    sampler = DistributedSampler(test, num_replicas=3, rank=0, shuffle=False)
    batches = [test[n : n + 8] for n in range(0, 20, 8)]
    if broken:
        order = [n for rank in range(3) for n in DistributedSampler(test, num_replicas=3, rank=rank, shuffle=False)]
        batches = [[test[n] for n in order[start : start + 8]] for start in range(0, len(order), 8)] + batches[:1]
    assert len(sampler) == 7
    from tests.zoo.failures._models import Tagger

    stacked = [(torch.stack([a for a, _ in batch]), torch.tensor([b for _, b in batch])) for batch in batches]
    model, criterion = Tagger(), torch.nn.CrossEntropyLoss()
    return {
        "model": model,
        "train_batches": DataLoader(train, batch_size=8, shuffle=True),
        "eval_batches": stacked,
        "compute_loss": lambda m, b: criterion(m(b[0]), b[1]),
        "optimizer": torch.optim.Adam(model.parameters(), 3e-3),
    }
