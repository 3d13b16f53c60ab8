"""Builds, saves and loads mT5 and T5 for text: released weights, a directory, or random weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from transformers import (
    AutoModelForSeq2SeqLM,
    AutoTokenizer,
    MT5ForConditionalGeneration,
    T5Config,
    T5ForConditionalGeneration,
)

from diagnose.common.errors import InputError
from trainer.collate.mt5 import TextCollator
from trainer.models import pretrained
from trainer.models.bundle import ModelBundle
from trainer.models.tokenizers.whisper_and_t5 import build_t5_tokenizer

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerBase

    from trainer.config import Config
    from trainer.config.model_section import RandomInit
    from trainer.models.bundle import Batch, Collate

TASK = "summarize"
T5Model: TypeAlias = T5ForConditionalGeneration | MT5ForConditionalGeneration


@dataclass(frozen=True)
class MT5Bundle(ModelBundle[T5Model, None]):
    """A text-to-text model, ready to train."""

    def collate_for(self, task: str) -> Collate:
        if task != TASK:
            raise InputError(f"model.task: a text model can only {TASK}, not {task}; set model.task to {TASK}")
        settings = self.config.model
        return TextCollator(
            self.tokenizer, settings.source_prefix, settings.max_source_length, settings.max_label_length
        )

    def generate(self, model: T5Model, batch: Batch) -> Tensor:
        ids = model.generate(batch["input_ids"], attention_mask=batch["attention_mask"])  # type: ignore[misc]
        return ids[:, 1:]

    def tasks_of(self, batch: Batch) -> list[str]:
        return [TASK] * len(batch["labels"])


def build(config: Config, train_texts: Sequence[str] = ()) -> MT5Bundle:
    """Build from `model.name`, or from random weights and the training texts."""
    if config.training.fp16:
        raise InputError(
            "training.fp16: T5 and mT5 overflow in fp16 and the loss becomes NaN; set training.fp16 to false, and "
            "training.bf16 to true if the device supports it"
        )
    if config.model.random is not None:
        return _random(config, config.model.random, train_texts)
    name = pretrained.require_name(config.model.name)
    return _read(config, name, config.model.tokenizer or name)


def load(directory: Path, config: Config) -> MT5Bundle:
    """Load what `save` or a checkpoint wrote."""
    return _read(config, str(directory), str(directory))


def _read(config: Config, name: str, tokenizer: str) -> MT5Bundle:
    model, fresh = pretrained.load_model(AutoModelForSeq2SeqLM, name)
    return _bundle(config, model, pretrained.load(AutoTokenizer, tokenizer, "model.tokenizer"), tuple(fresh))


def _random(config: Config, random: RandomInit, texts: Sequence[str]) -> MT5Bundle:
    name, size = config.model.tokenizer, random.vocabulary
    tokenizer = pretrained.load(AutoTokenizer, name, "model.tokenizer") if name else build_t5_tokenizer(texts, size)
    return _bundle(config, T5ForConditionalGeneration(_sizes(random, tokenizer)), tokenizer, ("*",))


def _sizes(random: RandomInit, tokenizer: PreTrainedTokenizerBase) -> T5Config:
    """mT5's layers in a T5, which scales its logits: a random mT5 starts at a loss of 10 ln V."""
    return T5Config(  # type: ignore[call-arg]  # decoder_start_token_id is read from **kwargs
        vocab_size=len(tokenizer),
        d_model=random.hidden,
        d_kv=random.hidden // random.heads,
        d_ff=random.ffn,
        num_layers=random.layers,
        num_decoder_layers=random.decoder_layers,
        num_heads=random.heads,
        dropout_rate=random.dropout,
        feed_forward_proj="gated-gelu",
        pad_token_id=tokenizer.pad_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.pad_token_id,
    )


def _bundle(
    config: Config,
    model: T5Model,
    tokenizer: PreTrainedTokenizerBase,
    fresh: tuple[str, ...],
) -> MT5Bundle:
    _require_room(model, tokenizer)
    model.config.ctc_weight = 0.0
    model.generation_config.max_length = config.training.generation_max_length
    model.generation_config.num_beams = config.training.generation_num_beams
    bundle = MT5Bundle(config, model, tokenizer, None, fresh)
    bundle.train_encoder(not config.model.freeze_encoder)
    return bundle


def _require_room(model: T5Model, tokenizer: PreTrainedTokenizerBase) -> None:
    """Refuse a larger tokenizer: resizing an mT5 would tie its head and lose the trained one."""
    rows = model.get_input_embeddings().num_embeddings
    if len(tokenizer) > rows:
        raise InputError(
            f"model.tokenizer: it has {len(tokenizer)} tokens but the model has {rows} embeddings; use the model's "
            "tokenizer"
        )
