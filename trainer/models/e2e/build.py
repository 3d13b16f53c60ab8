"""Builds and loads the encoder-decoder of Wav2Vec2 and mBART, pretrained or from random weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from transformers import MBart50Tokenizer, SpeechEncoderDecoderConfig, Wav2Vec2FeatureExtractor

from trainer.collate.e2e import E2ECollator
from trainer.collate.task_tokens import tasks_of
from trainer.models import pretrained
from trainer.models.bundle import ModelBundle, set_trainable
from trainer.models.ctc import FILE_NAME, CharacterVocabulary
from trainer.models.e2e.assemble import (
    add_ctc,
    join_encoder_decoder,
    language_code,
    random_pair,
    released_pair,
    set_tokens,
)
from trainer.models.e2e.model import E2EModel
from trainer.models.tokenizers.hybrid_and_mbart import mbart_tokenizer, set_generation, with_task_tokens

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerBase

    from trainer.config import Config
    from trainer.models.bundle import Batch, Collate

PROMPT = 1  # the task token; the start token before it is the model's to add


@dataclass(frozen=True)
class E2EBundle(ModelBundle[E2EModel, Wav2Vec2FeatureExtractor]):
    """Wav2Vec2 and mBART, ready to train."""

    ctc_vocabulary: CharacterVocabulary | None = None

    def collate_for(self, task: str) -> Collate:
        return E2ECollator(
            extractor=self.feature_extractor,
            tokenizer=self.tokenizer,
            task=task,
            max_label_length=self.config.model.max_label_length,
            max_samples=int(self.config.audio.max_length_seconds * self.config.audio.sample_rate),
            ctc_vocabulary=self.ctc_vocabulary,
        )

    def generate(self, model: E2EModel, batch: Batch) -> Tensor:
        """Generate from the start token and each row's own task token."""
        prompts = batch["labels"][:, :PROMPT]
        starts = torch.full_like(prompts, model.config.decoder_start_token_id)
        ids = model.generate(  # type: ignore[misc]  # transformers restricts self to a private class
            batch["input_values"],
            attention_mask=batch["attention_mask"],
            decoder_input_ids=torch.cat([starts, prompts], dim=1),
        )
        return ids[:, PROMPT + 1 :]

    def tasks_of(self, batch: Batch) -> list[str]:
        return tasks_of(self.tokenizer, batch["labels"])

    def train_encoder(self, trainable: bool) -> None:
        """Freezes the encoder but not its adapter; the feature encoder stays frozen if so configured."""
        super().train_encoder(trainable)
        front: Any = self.model.encoder.feature_extractor
        trains_front = trainable and not self.config.model.freeze_feature_encoder
        set_trainable(front, trains_front)
        front._requires_grad = trains_front  # else the input is marked as trainable, and all of it is kept for backward

    def save_processors(self, directory: str | Path) -> None:
        super().save_processors(directory)
        if self.ctc_vocabulary is not None:
            self.ctc_vocabulary.save(directory)


def build(config: Config, train_texts: Sequence[str] = ()) -> E2EBundle:
    """Build from a trained directory (`model.name`), a pretrained encoder and decoder, or random weights."""
    if config.model.name is not None:
        return _load_or_add_ctc(config, Path(config.model.name).expanduser(), train_texts)
    tokenizer = _tokenizer(config, train_texts)
    characters = CharacterVocabulary.build(train_texts) if config.model.ctc_weight > 0 else None
    if config.model.random is not None:
        extractor = Wav2Vec2FeatureExtractor(sampling_rate=config.audio.sample_rate, return_attention_mask=True)
        pair, fresh = random_pair(config, config.model.random, len(tokenizer)), ["*"]
    else:
        encoder = pretrained.require_name(config.model.encoder, "model.encoder")
        extractor = pretrained.load(Wav2Vec2FeatureExtractor, encoder, "model.encoder")
        pair, fresh = released_pair(config, len(tokenizer)), ["enc_to_dec_proj.*", "ctc_head.*"]
    model = join_encoder_decoder(config, *pair, characters)
    return _bundle(config, model, tokenizer, extractor, tuple(fresh), characters)


def load(directory: Path, config: Config) -> E2EBundle:
    """Load what `save` or a checkpoint wrote; nothing of it may be missing."""
    return _read(config, directory, CharacterVocabulary.load(directory) if config.model.ctc_weight > 0 else None)


def _load_or_add_ctc(config: Config, directory: Path, texts: Sequence[str]) -> E2EBundle:
    if config.model.ctc_weight == 0 or (directory / FILE_NAME).is_file():
        return load(directory, config)
    return _read(config, directory, CharacterVocabulary.build(texts), may_be_fresh=("ctc_head.*",))


def _read(
    config: Config, directory: Path, characters: CharacterVocabulary | None, may_be_fresh: Sequence[str] = ()
) -> E2EBundle:
    settings = add_ctc(pretrained.load(SpeechEncoderDecoderConfig, str(directory)), config, characters)
    model, fresh = pretrained.load_model(E2EModel, str(directory), may_be_fresh=may_be_fresh, config=settings)
    tokenizer = pretrained.load(MBart50Tokenizer, str(directory), "model.tokenizer")
    extractor = pretrained.load(Wav2Vec2FeatureExtractor, str(directory))
    return _bundle(config, model, tokenizer, extractor, tuple(fresh), characters)


def _tokenizer(config: Config, texts: Sequence[str]) -> PreTrainedTokenizerBase:
    name, language = config.model.tokenizer or config.model.decoder, language_code(config.model.language)
    if name is None and config.model.random is not None:
        return mbart_tokenizer(texts, config.model.random.vocabulary, language)
    key = "model.tokenizer" if config.model.tokenizer else "model.decoder"
    name = pretrained.require_name(name, key)
    return with_task_tokens(pretrained.load(MBart50Tokenizer, name, key, src_lang=language, tgt_lang=language))


def _bundle(
    config: Config,
    model: E2EModel,
    tokenizer: PreTrainedTokenizerBase,
    extractor: Wav2Vec2FeatureExtractor,
    fresh: tuple[str, ...],
    characters: CharacterVocabulary | None,
) -> E2EBundle:
    set_tokens(model, tokenizer, config)
    set_generation(model, config)
    bundle = E2EBundle(config, model, tokenizer, extractor, fresh, characters)
    bundle.train_encoder(not config.model.freeze_encoder)
    return bundle
