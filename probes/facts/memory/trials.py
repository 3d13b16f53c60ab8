"""Settings to predict with, and changes of them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from probes.facts.memory.evaluation_types import EvaluationSettings
from probes.facts.memory.types import StepOptions
from probes.facts.settings.types import RunSettings


@dataclass(frozen=True)
class SettingNames:
    """`ours`: keys of a configuration; else arguments of transformers. `speech`: the input is audio."""

    ours: bool = False
    rows_per_item: int = 1
    accumulation: int = 1

    @classmethod
    def of(cls, settings: RunSettings | None) -> "SettingNames":
        if settings is None:
            return cls()
        return cls(settings.kind == "ours", settings.rows_per_item, settings.accumulation or 1)

    def batch(self, items: int, parts: int) -> str:
        size = "training.batch_size" if self.ours else "per_device_train_batch_size"
        return f"{size} {items} with gradient_accumulation_steps {self.accumulation * parts}"

    @property
    def checkpointing(self) -> str:
        return self._own("gradient_checkpointing true")

    @property
    def bf16(self) -> str:
        return self._own("bf16 true")

    @property
    def length(self) -> str:
        return "no row longer than the median batch"

    @property
    def eight_bit(self) -> str:
        return self._own("optim adamw_bnb_8bit")

    @property
    def adafactor(self) -> str:
        return self._own("optim adafactor")

    @property
    def freeze(self) -> str:
        return "model.freeze_encoder true" if self.ours else "encoder frozen"

    @property
    def beams(self) -> str:
        return self._own("generation_num_beams 1")

    @property
    def generate(self) -> str:
        return self._own("predict_with_generate false")

    def _own(self, setting: str) -> str:
        return f"training.{setting}" if self.ours else setting


@dataclass(frozen=True)
class MemoryTrial:
    """Settings to predict with. `parts`: how many batches make what was one; `state`: of the optimizer, in bytes."""

    batch: Any
    options: StepOptions
    evaluation: EvaluationSettings
    parts: int = 1
    optimizer: str = ""


@dataclass(frozen=True)
class NamedChange:
    """A change by the name of its setting."""

    setting: str
    apply: Callable[[MemoryTrial], MemoryTrial]
    cost: str = ""


def with_options(**options: Any) -> Callable[[MemoryTrial], MemoryTrial]:
    return lambda trial: replace(trial, options=replace(trial.options, **options))


def with_evaluation(**settings: Any) -> Callable[[MemoryTrial], MemoryTrial]:
    return lambda trial: replace(trial, evaluation=replace(trial.evaluation, **settings))
