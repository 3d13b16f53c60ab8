"""The trainer that the mixins of RunTrainer extend, as a type for mypy alone.

A Protocol would not do: the mixins call transformers' own methods by super(), and mypy reads those here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transformers import PreTrainedModel, Seq2SeqTrainer, Seq2SeqTrainingArguments

    from trainer.config import Config
    from trainer.data.dataset import SplitDataset
    from trainer.loop.loss import LossTracker
    from trainer.loop.runtime.out_of_memory import LargestBatch
    from trainer.models.bundle import Collate, ModelBundle

    class TrainerHost(Seq2SeqTrainer):
        """transformers' Trainer as RunTrainer sets it up, and what one mixin gives to the others."""

        args: Seq2SeqTrainingArguments
        model: PreTrainedModel
        train_dataset: SplitDataset
        data_collator: Collate

        bundle: ModelBundle
        config: Config
        loss_tracker: LossTracker  # AccumulationMixin
        largest_batch: LargestBatch  # AccumulationMixin
        last_texts: Sequence[tuple[str, str, str]]  # EvaluationMixin

else:
    TrainerHost = object  # RunTrainer has Seq2SeqTrainer as its last base
