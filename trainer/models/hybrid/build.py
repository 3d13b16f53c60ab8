"""Builds, saves and loads the hybrid CTC/attention Conformer with its tokenizer and features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from transformers import PreTrainedTokenizerFast

from diagnose.common.errors import InputError
from trainer.collate.hybrid import HybridCollator
from trainer.collate.masking import feature_masking
from trainer.collate.task_tokens import tasks_of
from trainer.models import pretrained
from trainer.models.bundle import ModelBundle
from trainer.models.hybrid.features import FbankExtractor
from trainer.models.hybrid.model import HybridConfig, HybridModel
from trainer.models.tokenizers.hybrid_and_mbart import hybrid_tokenizer, set_generation, task_ids

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedTokenizerBase

    from trainer.config import Config
    from trainer.config.model_section import RandomInit
    from trainer.models.bundle import Batch, Collate

PROMPT = 1  # the task token; the start token before it is the model's to add


@dataclass(frozen=True)
class HybridBundle(ModelBundle[HybridModel, FbankExtractor]):
    """The hybrid, ready to train."""

    def collate_for(self, task: str) -> Collate:
        limit, masking = self.config.model.max_label_length, feature_masking(self.config)
        return HybridCollator(self.feature_extractor, self.tokenizer, task, limit, masking)

    def generate(self, model: HybridModel, batch: Batch) -> Tensor:
        """Greedy decoding from each row's own task token."""
        limit = self.config.training.generation_max_length
        ids = model.generate(batch["feats"], batch["feat_lens"], batch["toks"][:, :PROMPT], max_length=limit)
        return ids[:, PROMPT + 1 :]

    def tasks_of(self, batch: Batch) -> list[str]:
        return tasks_of(self.tokenizer, batch["toks"])

    def labels_of(self, batch: Batch) -> Tensor:
        return batch["toks"]


def build(config: Config, train_texts: Sequence[str] = ()) -> HybridBundle:
    """Build from `model.name`, a saved directory, or from random weights and the training texts."""
    if config.training.generation_num_beams > 1:
        raise InputError("training.generation_num_beams: the hybrid decodes greedily; set it to 1.")
    if config.model.name is not None:
        return load(Path(config.model.name), config)
    tokenizer = _tokenizer(config, train_texts)
    return _bundle(config, HybridModel(_sizes(config, tokenizer)), tokenizer, _extractor(config), fresh=("*",))


def load(directory: Path, config: Config) -> HybridBundle:
    """Load what `save` or a checkpoint wrote."""
    settings = pretrained.load(HybridConfig, str(directory))
    settings.ctc_weight, settings.chunk_size = config.model.ctc_weight, config.model.chunk_size or 0
    model, fresh = pretrained.load_model(HybridModel, str(directory), may_be_fresh=("ctc.*",), config=settings)
    tokenizer = pretrained.load(PreTrainedTokenizerFast, config.model.tokenizer or str(directory), "model.tokenizer")
    return _bundle(config, model, tokenizer, pretrained.load(FbankExtractor, str(directory)), tuple(fresh))


def _bundle(
    config: Config,
    model: HybridModel,
    tokenizer: PreTrainedTokenizerBase,
    extractor: FbankExtractor,
    fresh: tuple[str, ...],
) -> HybridBundle:
    set_generation(model, config)
    bundle = HybridBundle(config, model, tokenizer, extractor, fresh)
    if config.model.freeze_encoder:
        bundle.train_encoder(False)
    return bundle


def _tokenizer(config: Config, texts: Sequence[str]) -> PreTrainedTokenizerBase:
    if config.model.tokenizer is not None:
        return pretrained.load(PreTrainedTokenizerFast, config.model.tokenizer, "model.tokenizer")
    return hybrid_tokenizer(texts, _random_init(config).vocabulary)


def _extractor(config: Config) -> FbankExtractor:
    audio = config.audio
    return FbankExtractor(audio.num_mel_bins, audio.sample_rate, audio.max_length_seconds, audio.cmvn)


def _sizes(config: Config, tokenizer: PreTrainedTokenizerBase) -> HybridConfig:
    random = _random_init(config)
    return HybridConfig(
        vocab_size=len(tokenizer),
        num_mel_bins=config.audio.num_mel_bins,
        hidden_size=random.hidden,
        layers=random.layers,
        decoder_layers=random.decoder_layers,
        heads=random.heads,
        ffn=random.ffn,
        dropout=random.dropout,
        conv_channels=random.conv_channels,
        conv_kernel=random.conv_kernel,
        chunk_size=config.model.chunk_size or 0,
        ctc_weight=config.model.ctc_weight,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=tokenizer.bos_token_id,
        eos_token_id=tokenizer.eos_token_id,
        decoder_start_token_id=tokenizer.bos_token_id,
        transcribe_token_id=task_ids(tokenizer)["transcribe"],
    )


def _random_init(config: Config) -> RandomInit:
    if config.model.random is None:
        raise InputError(
            "model: the hybrid has neither `name` nor `random`; set name to a directory that `train` saved, or set "
            "sizes under model.random to start from random weights."
        )
    return config.model.random
