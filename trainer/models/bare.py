"""The model of a configuration without weights and without tokenizer: what it takes to predict its memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from transformers import (
    MBartConfig,
    MT5Config,
    MT5ForConditionalGeneration,
    T5ForConditionalGeneration,
    WhisperConfig,
)

from trainer.models import mt5, pretrained
from trainer.models.bundle import ModelBundle
from trainer.models.ctc import CharacterVocabulary
from trainer.models.e2e.assemble import join_encoder_decoder, random_pair, released_pair
from trainer.models.e2e.build import E2EBundle
from trainer.models.hybrid.build import HybridBundle
from trainer.models.hybrid.build import _sizes as hybrid_sizes
from trainer.models.hybrid.model import HybridConfig, HybridModel
from trainer.models.released_sizes import without_weights
from trainer.models.whisper.build import WhisperBundle
from trainer.models.whisper.settings import add_ctc, model_kind, sizes

if TYPE_CHECKING:
    from trainer.config import Config

CHARACTERS = 100  # of a vocabulary that is built from texts which are not there


class UnbuiltTokenizer:
    """As many tokens as the configuration requests; their ids are the first ones."""

    pad_token_id, bos_token_id, eos_token_id, unk_token_id = 0, 1, 2, 3

    def __init__(self, size: int | str) -> None:
        self.size = size if isinstance(size, int) else CHARACTERS

    def __len__(self) -> int:
        return self.size

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        return list(range(len(tokens))) if isinstance(tokens, list) else 1


def bare_model(config: Config) -> Any:
    """On the meta device; what the run freezes is frozen."""
    builders: Mapping[str, Callable[..., ModelBundle]] = {
        "whisper": _whisper, "e2e": _e2e, "hybrid": _hybrid, "mt5": _mt5,
    }  # fmt: skip
    with without_weights():
        bundle = builders[config.model.type](config, _characters(config))
    frozen = config.model.freeze_encoder and not unfreezes_in_run(config)
    if config.model.type != "hybrid" or frozen:
        bundle.train_encoder(not frozen)
    return bundle.model


def unfreezes_in_run(config: Config) -> bool:
    """Whether an encoder that starts frozen trains before the run ends."""
    epochs = config.training.freeze_encoder_epochs
    return config.model.freeze_encoder and epochs is not None and epochs < config.training.num_train_epochs


def _characters(config: Config) -> CharacterVocabulary | None:
    letters = [chr(ord("a") + number) for number in range(CHARACTERS)]
    return CharacterVocabulary.build(letters) if config.model.ctc_weight > 0 else None


def _whisper(config: Config, characters: CharacterVocabulary | None) -> ModelBundle:
    random = config.model.random
    if random is None:
        settings = pretrained.load(WhisperConfig, pretrained.require_name(config.model.name))
    else:
        seconds = -int(-config.audio.max_length_seconds // 1)
        tokenizer: Any = UnbuiltTokenizer(random.vocabulary)
        settings = sizes(config, random, tokenizer, seconds)
    add_ctc(settings, config.model.ctc_weight, characters)
    return WhisperBundle(config, model_kind(characters)(settings), *_NO_PROCESSORS)


def _e2e(config: Config, characters: CharacterVocabulary | None) -> ModelBundle:
    random = config.model.random
    if random is not None:
        pair = random_pair(config, random, len(UnbuiltTokenizer(random.vocabulary)))
    else:
        name = pretrained.require_name(config.model.decoder, "model.decoder")
        pair = released_pair(config, pretrained.load(MBartConfig, name, "model.decoder").vocab_size)
    model = join_encoder_decoder(config, *pair, characters)
    model.config.decoder_start_token_id, model.config.pad_token_id = 2, 1
    return E2EBundle(config, model, *_NO_PROCESSORS)


def _hybrid(config: Config, _: CharacterVocabulary | None) -> ModelBundle:
    if config.model.random is None:
        settings = pretrained.load(HybridConfig, pretrained.require_name(config.model.name))
    else:
        tokenizer: Any = UnbuiltTokenizer(config.model.random.vocabulary)
        settings = hybrid_sizes(config, tokenizer)
    return HybridBundle(config, HybridModel(settings), *_NO_PROCESSORS)


def _mt5(config: Config, _: CharacterVocabulary | None) -> ModelBundle:
    random = config.model.random
    if random is None:
        settings = pretrained.load(MT5Config, pretrained.require_name(config.model.name))
        return mt5.MT5Bundle(config, MT5ForConditionalGeneration(settings), *_NO_PROCESSORS)
    tokenizer: Any = UnbuiltTokenizer(random.vocabulary)
    return mt5.MT5Bundle(config, T5ForConditionalGeneration(mt5._sizes(random, tokenizer)), *_NO_PROCESSORS)


_NO_PROCESSORS: Any = (None, None)
