"""The model of a configuration with its tokenizer, feature extractor and collator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from diagnose.common.errors import InputError, short_error

if TYPE_CHECKING:
    from torch import Tensor, nn
    from transformers import PreTrainedModel, PreTrainedTokenizerBase
    from transformers.feature_extraction_utils import FeatureExtractionMixin

    from trainer.config import Config

Batch = Mapping[str, "Tensor"]
ModelT = TypeVar("ModelT", bound="PreTrainedModel")
ExtractorT = TypeVar("ExtractorT", bound="FeatureExtractionMixin | None")
Collate = Callable[[Sequence[Mapping[str, Any]]], "dict[str, Tensor]"]

RESOLVED = "config.resolved.yaml"
ARCHITECTURES = {
    "whisper": "trainer.models.whisper.build",
    "e2e": "trainer.models.e2e.build",
    "hybrid": "trainer.models.hybrid.build",
    "mt5": "trainer.models.mt5",
}


@dataclass(frozen=True)
class ModelBundle(Generic[ModelT, ExtractorT]):
    """One architecture, ready to train; it implements the methods that raise NotImplementedError here."""

    config: Config
    model: ModelT
    tokenizer: PreTrainedTokenizerBase
    feature_extractor: ExtractorT
    fresh: tuple[str, ...] = ()

    @cached_property
    def collate(self) -> Collate:
        """The collator of the configured task."""
        return self.collate_for(self.config.model.task)

    def collate_for(self, task: str) -> Collate:
        """The collator of one task: transcribe, translate, both, or summarize."""
        raise NotImplementedError

    def generate(self, model: ModelT, batch: Batch) -> Tensor:
        """Generated ids of each row, from the prompt of the row's own task."""
        raise NotImplementedError

    def tasks_of(self, batch: Batch) -> list[str]:
        """The task of each row, read from its labels."""
        raise NotImplementedError

    def labels_of(self, batch: Batch) -> Tensor:
        """The labels of a batch, -100 on padding."""
        return batch["labels"]

    def decode(self, ids: Tensor) -> list[str]:
        """The text of each row, without special tokens, -100 and ids outside the vocabulary."""
        from trainer.collate.labels import known_ids

        rows = known_ids(ids, len(self.tokenizer))
        texts = self.tokenizer.batch_decode(rows, skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return [text.strip() for text in texts]

    def train_encoder(self, trainable: bool) -> None:
        """Freeze or unfreeze the encoder, except what is always frozen."""
        set_trainable(self.model.get_encoder(), trainable)

    def save(self, directory: str | Path) -> None:
        """Save model, tokenizer, feature extractor and configuration, as `load_bundle` reads them."""
        directory = Path(directory)
        self.model.save_pretrained(directory)
        self.save_processors(directory)

    def save_processors(self, directory: str | Path) -> None:
        """Save all but the weights."""
        directory = Path(directory)
        self.tokenizer.save_pretrained(directory)
        if self.feature_extractor is not None:
            self.feature_extractor.save_pretrained(directory)
        if not (directory / RESOLVED).exists():
            (directory / RESOLVED).write_text(_as_yaml(self.config), encoding="utf-8")


def build(config: Config, train_texts: Sequence[str] = ()) -> ModelBundle:
    """Build from pretrained or random weights; the caller's RNG state is not changed."""
    return _seeded(config.training.seed, lambda: _architecture(config).build(config, train_texts))


def load_bundle(directory: str | Path, config: Config | None = None) -> ModelBundle:
    """Load what `ModelBundle.save` or a checkpoint wrote."""
    directory = Path(directory)
    config = config or _saved_config(directory)
    try:
        return _seeded(config.training.seed, lambda: _architecture(config).load(directory, config))
    except InputError:
        raise
    except Exception as error:  # of any library that reads what lies there
        reason = short_error(error).splitlines()[0][:160]
        raise InputError(f"{directory}: the model cannot be loaded ({reason}); restore it from a copy") from error


def set_trainable(module: nn.Module, trainable: bool) -> None:
    """Set requires_grad of every parameter of a module."""
    for parameter in module.parameters():
        parameter.requires_grad_(trainable)


def _architecture(config: Config) -> ModuleType:
    return import_module(ARCHITECTURES[config.model.type])


def _seeded(seed: int, make: Callable[[], ModelBundle]) -> ModelBundle:
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        return make()


def _saved_config(directory: Path) -> Config:
    from trainer.config import load

    for folder in (directory, directory.parent):
        if (folder / RESOLVED).is_file():
            return load(folder / RESOLVED).config
    raise InputError(
        f"{directory} has no {RESOLVED}, here or in the parent folder, so the model's settings are unknown; pass the "
        "folder of a run or of a checkpoint"
    )


def _as_yaml(config: Config) -> str:
    from trainer.config.yaml_writer import to_yaml

    return to_yaml(config.model_dump(mode="json"))
