"""Builds and loads Whisper: released weights, a directory, or random weights with another window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from transformers import WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration, WhisperTokenizer
from transformers.models.whisper.tokenization_whisper import TASK_IDS

from trainer.collate.labels import token_ids
from trainer.collate.masking import feature_masking
from trainer.collate.whisper import PROMPT, WhisperCollator
from trainer.models import ctc, pretrained
from trainer.models.bundle import ModelBundle
from trainer.models.ctc import CharacterVocabulary
from trainer.models.tokenizers.whisper_and_t5 import build_whisper_tokenizer
from trainer.models.whisper.settings import add_ctc, model_kind, set_generation, sizes

if TYPE_CHECKING:
    from torch import Tensor

    from trainer.config import Config
    from trainer.config.model_section import RandomInit
    from trainer.models.bundle import Batch, Collate


@dataclass(frozen=True)
class WhisperBundle(ModelBundle[WhisperForConditionalGeneration, WhisperFeatureExtractor]):
    """Whisper, ready to train."""

    ctc_vocabulary: CharacterVocabulary | None = None

    def collate_for(self, task: str) -> Collate:
        limit = min(self.config.model.max_label_length, self.model.config.max_target_positions)
        return WhisperCollator(
            extractor=self.feature_extractor,
            tokenizer=self.tokenizer,
            task=task,
            language=self.config.model.language,
            max_label_length=limit,
            cmvn=self.config.audio.cmvn,
            ctc_vocabulary=self.ctc_vocabulary,
            masking=feature_masking(self.config),
        )

    def generate(self, model: WhisperForConditionalGeneration, batch: Batch) -> Tensor:
        """Generate for all rows at once; the prompt of each is what its labels begin with."""
        prompts = batch["labels"][:, :PROMPT]
        starts = torch.full_like(prompts[:, :1], model.config.decoder_start_token_id)
        features = batch["input_features"]
        ids = model.generate(
            features,
            attention_mask=torch.ones_like(features[:, 0], dtype=torch.long),
            decoder_input_ids=torch.cat([starts, prompts], dim=1),
            force_unique_generate_call=True,  # else a stray timestamp token starts a second pass without the prompts
        )
        return ids[:, PROMPT + 1 :]

    def tasks_of(self, batch: Batch) -> list[str]:
        names = dict(zip(token_ids(self.tokenizer, [f"<|{task}|>" for task in TASK_IDS]), TASK_IDS, strict=True))
        return [names[id] for id in batch["labels"][:, 1].tolist()]

    def train_encoder(self, trainable: bool) -> None:
        """Keeps the encoder's sinusoidal positions frozen, which from_pretrained makes trainable."""
        super().train_encoder(trainable)
        self.model.get_encoder().embed_positions.requires_grad_(False)

    def save_processors(self, directory: str | Path) -> None:
        super().save_processors(directory)
        if self.ctc_vocabulary is not None:
            self.ctc_vocabulary.save(directory)


def build(config: Config, train_texts: Sequence[str] = ()) -> WhisperBundle:
    """Build from `model.name`, or from random weights and the training texts."""
    random = config.model.random
    return _pretrained(config, train_texts) if random is None else _random(config, random, train_texts)


def load(directory: Path, config: Config) -> WhisperBundle:
    """Load what `save` or a checkpoint wrote; nothing of it may be missing."""
    return _read(config, str(directory), str(directory), _saved_characters(config, str(directory)))


def _pretrained(config: Config, texts: Sequence[str]) -> WhisperBundle:
    name = pretrained.require_name(config.model.name)
    tokenizer = config.model.tokenizer or name
    if config.model.ctc_weight == 0.0 or (Path(name).expanduser() / ctc.FILE_NAME).is_file():
        return _read(config, name, tokenizer, _saved_characters(config, name))
    return _read(config, name, tokenizer, CharacterVocabulary.build(texts), may_be_fresh=("ctc_head.*",))


def _saved_characters(config: Config, directory: str) -> CharacterVocabulary | None:
    return CharacterVocabulary.load(Path(directory).expanduser()) if config.model.ctc_weight > 0 else None


def _read(
    config: Config,
    name: str,
    tokenizer: str,
    characters: CharacterVocabulary | None,
    may_be_fresh: Sequence[str] = (),
) -> WhisperBundle:
    settings = pretrained.load(WhisperConfig, name)
    add_ctc(settings, config.model.ctc_weight, characters)
    model, fresh = pretrained.load_model(model_kind(characters), name, may_be_fresh=may_be_fresh, config=settings)
    own_tokenizer = pretrained.load(WhisperTokenizer, tokenizer, "model.tokenizer")
    extractor = pretrained.load(WhisperFeatureExtractor, name)
    return _bundle(config, model, own_tokenizer, extractor, tuple(fresh), characters)


def _random(config: Config, random: RandomInit, texts: Sequence[str]) -> WhisperBundle:
    name = config.model.tokenizer
    tokenizer = (
        pretrained.load(WhisperTokenizer, name, "model.tokenizer")
        if name
        else build_whisper_tokenizer(texts, random.vocabulary)
    )
    characters = CharacterVocabulary.build(texts) if config.model.ctc_weight > 0 else None
    window = math.ceil(config.audio.max_length_seconds)
    extractor = WhisperFeatureExtractor(
        feature_size=config.audio.num_mel_bins, sampling_rate=config.audio.sample_rate, chunk_length=window
    )
    settings = sizes(config, random, tokenizer, window)
    add_ctc(settings, config.model.ctc_weight, characters)
    model = model_kind(characters)(settings)
    return _bundle(config, model, tokenizer, extractor, ("*",), characters)


def _bundle(
    config: Config,
    model: WhisperForConditionalGeneration,
    tokenizer: WhisperTokenizer,
    extractor: WhisperFeatureExtractor,
    fresh: tuple[str, ...],
    characters: CharacterVocabulary | None,
) -> WhisperBundle:
    set_generation(model, tokenizer, config)
    bundle = WhisperBundle(config, model, tokenizer, extractor, fresh, characters)
    bundle.train_encoder(not config.model.freeze_encoder)
    return bundle
