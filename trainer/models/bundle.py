"""What a configuration builds: a model, with all that feeds it and reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from diagnose.common.errors import InputError

if TYPE_CHECKING:
    from torch import LongTensor, Tensor, nn
    from transformers import PreTrainedModel, PreTrainedTokenizerBase
    from transformers.feature_extraction_utils import FeatureExtractionMixin

    from trainer.config import Config

Batch = Mapping[str, "Tensor"]
Collate = Callable[[Sequence[Mapping[str, Any]]], "dict[str, Tensor]"]

RESOLVED = "config.resolved.yaml"
ARCHITECTURES = {
    "whisper": "trainer.models.whisper.build",
    "e2e": "trainer.models.e2e.build",
    "hybrid": "trainer.models.hybrid.build",
    "mt5": "trainer.models.mt5",
}


@dataclass(frozen=True)
class ModelBundle:
    """One architecture, ready to train: each one fills in the three methods that raise NotImplementedError."""

    config: Config
    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase
    feature_extractor: FeatureExtractionMixin | None = None
    fresh: tuple[str, ...] = ()

    @cached_property
    def collate(self) -> Collate:
        """The collator of the configured task."""
        return self.collate_for(self.config.model.task)

    def collate_for(self, task: str) -> Collate:
        """The collator of one task: transcribe, translate, both, or summarize."""
        raise NotImplementedError

    def generate(self, model: PreTrainedModel, batch: Batch) -> LongTensor:
        """What the model says to each row, with the prompt of the row's own task."""
        raise NotImplementedError

    def tasks_of(self, batch: Batch) -> list[str]:
        """The task of each row, read from its labels."""
        raise NotImplementedError

    def labels_of(self, batch: Batch) -> LongTensor:
        """What is scored, -100 on padding."""
        return batch["labels"]

    def decode(self, ids: LongTensor) -> list[str]:
        """Text of each row; specials are dropped, -100 and ids beyond the vocabulary are tolerated."""
        from trainer.collate.labels import known_ids

        rows = known_ids(ids, len(self.tokenizer))
        texts = self.tokenizer.batch_decode(rows, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return [text.strip() for text in texts]

    def train_encoder(self, trainable: bool) -> None:
        """Freeze or thaw the encoder; what is frozen for another reason stays so."""
        set_trainable(self.model.get_encoder(), trainable)

    def save(self, directory: str | Path) -> None:
        """Model, tokenizer, feature extractor and configuration, as `load_parts` reads them."""
        directory = Path(directory)
        self.model.save_pretrained(directory)
        self.save_processors(directory)

    def save_processors(self, directory: str | Path) -> None:
        """All but the weights: what a checkpoint written by the loop lacks."""
        directory = Path(directory)
        self.tokenizer.save_pretrained(directory)
        if self.feature_extractor is not None:
            self.feature_extractor.save_pretrained(directory)
        if not (directory / RESOLVED).exists():
            (directory / RESOLVED).write_text(_as_yaml(self.config), encoding="utf-8")


def build(config: Config, train_texts: Sequence[str] = ()) -> ModelBundle:
    """Pretrained (hub name or local directory) or random weights; the caller's random state is left as it was."""
    return _seeded(config.training.seed, lambda: _architecture(config).build(config, train_texts))


def load_parts(directory: str | Path, config: Config | None = None) -> ModelBundle:
    """What `Parts.save` or a checkpoint left."""
    directory = Path(directory)
    config = config or _resolved_beside(directory)
    return _seeded(config.training.seed, lambda: _architecture(config).load(directory, config))


def encoder_is_frozen(config: Config) -> bool:
    """Whether the run starts with a frozen encoder."""
    return bool(config.model.freeze_encoder)


def set_trainable(module: nn.Module, trainable: bool) -> None:
    """Freeze or thaw every parameter of a module."""
    for parameter in module.parameters():
        parameter.requires_grad_(trainable)


def _architecture(config: Config) -> ModuleType:
    return import_module(ARCHITECTURES[config.model.type])


def _seeded(seed: int, make: Callable[[], ModelBundle]) -> ModelBundle:
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        return make()


def _resolved_beside(directory: Path) -> Config:
    from trainer.config import load

    for folder in (directory, directory.parent):
        if (folder / RESOLVED).is_file():
            return load(folder / RESOLVED).config
    raise InputError(
        f"{directory} has no {RESOLVED}, here or one folder up, so the model's settings are unknown; "
        "give the folder of a run or of a checkpoint"
    )


def _as_yaml(config: Config) -> str:
    from trainer.config.yaml_writer import to_yaml

    return to_yaml(config.model_dump(mode="json"))
