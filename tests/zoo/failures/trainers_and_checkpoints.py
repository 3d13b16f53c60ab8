"""Section 10, and what scripts do around the Trainer: saving, best models, later batches."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
import transformers as hf
from torch import nn

from tests.zoo.failures._models import bands, bart, bart_tokenizer, t5, t5_tokenizer
from tests.zoo.failures.cases import failure
from tests.zoo.failures.generation import generating, word_errors
from tests.zoo.hf_models._texts import articles
from tests.zoo.registry import Facts
from tests.zoo.trainers.trainer_kit import arguments


@failure("trn_best_is_worst", "CFG006", short=True)
def worst_checkpoint_is_kept(broken: bool) -> Facts:
    """metric_for_best_model is an error rate, and greater_is_better is left at its default."""
    tokenizer = t5_tokenizer()
    options: dict[str, Any] = {"load_best_model_at_end": True, "metric_for_best_model": "wer", "save_strategy": "epoch"}
    options |= {} if broken else {"greater_is_better": False}
    return generating(word_errors(tokenizer), tokenizer, t5(tokenizer), **options)


@failure("trn_save_best_strategy", "CFG008", "CFG007", "GEN018")
def best_of_a_metric_that_is_not_computed(broken: bool) -> Facts:
    """save_strategy="best" with the name of a metric that nobody computes."""
    tokenizer = t5_tokenizer()
    options: dict[str, Any] = {"load_best_model_at_end": True, "save_strategy": "best", "greater_is_better": False}
    options |= {"metric_for_best_model": "cer" if broken else "wer"}
    return generating(word_errors(tokenizer), tokenizer, t5(tokenizer), **options)


class SharingHeads(nn.Module):
    """Two heads that are one tensor under two names, without telling the library."""

    def __init__(self, shared: bool) -> None:
        super().__init__()
        self.lstm, self.head, self.aux = nn.LSTM(40, 32, batch_first=True), nn.Linear(32, 4), nn.Linear(32, 4)
        if shared:
            self.aux.weight = self.head.weight

    def forward(self, frames: torch.Tensor, labels: torch.Tensor) -> dict[str, torch.Tensor]:
        hidden = self.lstm(frames)[0]
        logits = self.head(hidden.mean(1))
        loss = nn.functional.cross_entropy(logits, labels)
        return {"loss": loss + 0.3 * nn.functional.cross_entropy(self.aux(hidden[:, -1]), labels), "logits": logits}


class StrictTrainer(hf.Trainer):
    """Saves with safetensors as they are."""

    def _save(self, output_dir: str | None = None, state_dict: Any = None) -> None:
        from safetensors.torch import save_file

        save_file(dict(self.model.state_dict()), f"{output_dir or self.args.output_dir}/model.safetensors")


@failure("trn_save_raises_on_shared_tensors", "GEN018", "PAR012", "GEN011", short=True)
def own_save_raises_on_shared_tensors(broken: bool) -> Facts:
    """safetensors refuses two names for one tensor; the Trainer saves after hours."""
    rows = [{"frames": frames.numpy(), "labels": label} for frames, label in bands()]
    args = arguments(eval_strategy="no", learning_rate=3e-3, save_strategy="epoch")
    return {"trainer": StrictTrainer(model=SharingHeads(broken), args=args, train_dataset=rows)}


@failure("trn_labels_are_not_given", "LAB032", "LOS003", "CFG002")
def label_column_has_another_name(broken: bool) -> Facts:
    """The dataset calls its labels "target", and the Trainer removes that column."""
    tokenizer = bart_tokenizer()
    name = "target" if broken else "labels"
    rows = [{**tokenizer(a), name: tokenizer(text_target=b).input_ids} for a, b in articles()]
    model = bart(tokenizer)
    from datasets import Dataset

    trainer = hf.Seq2SeqTrainer(
        model=model,
        args=arguments(hf.Seq2SeqTrainingArguments, eval_strategy="no", learning_rate=1e-3),
        train_dataset=Dataset.from_list(rows),
        data_collator=hf.DataCollatorForSeq2Seq(tokenizer, model=model),
    )
    return {"trainer": trainer}


@failure("trn_metric_raises", "GEN014", "GEN011")
def metric_raises_after_the_first_epoch(broken: bool) -> Facts:
    """compute_metrics of a classifier forgets that predictions are logits."""
    rows = [{"frames": frames.numpy(), "labels": label} for frames, label in bands()]

    def compute_metrics(pred: Any) -> dict[str, float]:
        found = pred.predictions if broken else np.argmax(pred.predictions, -1)
        return {"accuracy": float(np.mean([int(p) == int(t) for p, t in zip(found, pred.label_ids, strict=True)]))}

    args = arguments(learning_rate=3e-3)
    model = SharingHeads(False)
    trainer = hf.Trainer(
        model=model, args=args, train_dataset=rows[:80], eval_dataset=rows[80:], compute_metrics=compute_metrics
    )
    return {"trainer": trainer}
