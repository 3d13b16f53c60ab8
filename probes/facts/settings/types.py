"""Types for the settings of a run, in one form for every trainer. None: not set."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SettingLocation:
    """Where a setting was written: its name there, and the file and line where they are known."""

    name: str
    file: str | None = None
    line: int | None = None
    source: str = ""  # by default, on the command line

    def __str__(self) -> str:
        source = f"{self.file}:{self.line}" if self.file and self.line else self.file or self.source
        return f"{self.name} ({source})" if source else self.name


@dataclass(frozen=True)
class RunSettings:
    """The settings of a run. `kind`: ours, transformers, or other (a custom loop)."""

    kind: str
    output_dir: str | None = None
    batch_size: int | None = None  # rows of one device in one pass
    accumulation: int | None = None
    processes: int = 1
    rows_per_item: int = 1  # 2: a collator that takes every clip for both tasks
    epochs: float | None = None
    max_steps: int | None = None
    learning_rate: float | None = None
    schedule: str | None = None
    warmup: float | None = None  # below 1 a share of the run, else steps
    clipping: float | None = None  # the limit of the gradient norm; 0: off
    eval_strategy: str | None = None
    eval_steps: float | None = None
    eval_delay: float = 0.0
    save_strategy: str | None = None
    save_steps: float | None = None
    save_total_limit: int | None = None
    save_only_model: bool = False
    load_best: bool = False
    metric: str | None = None
    greater_is_better: bool | None = None
    metric_names: tuple[str, ...] | None = None  # what an evaluation computes
    patience: int | None = None
    patience_known: bool = False  # False: an unknown callback may stop the run
    seed: int | None = None
    fp16: bool = False
    bf16: bool = False
    checkpointing: bool = False
    reentrant: bool = False
    remove_unused_columns: bool = False
    predict_with_generate: bool = False
    generation_max_length: int | None = None
    device: str | None = None
    use_cpu: bool = False
    optimizer: str = "adamw"
    texts: Mapping[str, str] = field(default_factory=dict)  # numbers that were written as text, by their names
    places: Mapping[str, SettingLocation] = field(default_factory=dict)

    def place(self, setting: str) -> SettingLocation:
        return self.places.get(setting) or SettingLocation(setting)


@dataclass(frozen=True)
class UpdateCount:
    """How many updates the run makes, and from how many rows each. None: not known."""

    updates: int
    rows_per_update: int | None = None
    updates_per_epoch: int | None = None
    rows: int | None = None

    @property
    def epochs(self) -> float | None:
        return self.updates / self.updates_per_epoch if self.updates_per_epoch else None


@dataclass(frozen=True)
class EventCount:
    """How often something happens during the run. `at_end`: it happens once more after the last update."""

    count: int
    every: float | None = None  # updates from one to the next
    once_more_at_end: bool = False


@dataclass(frozen=True)
class CheckpointedStep:
    """One step with gradient checkpointing on, against the same step with it off."""

    reentrant: bool
    error: str = ""
    lost: tuple[str, ...] = ()  # trainable parameters that have no gradient only because of it
    trainable: int = 0
    uses_cache: bool = False
    layer_drop: float = 0.0
    processes: int = 1


@dataclass(frozen=True)
class ModelFamily:
    """One part of the model by its kind (t5, mbart), and the name or folder that tells."""

    kind: str
    source: str


@dataclass(frozen=True)
class GenerationLimit:
    """How many tokens an evaluation may generate for one row, the prompt included, the start token not."""

    tokens: int
    place: SettingLocation


@dataclass(frozen=True)
class LabelLengths:
    """Scored tokens in each row of the drawn batches, shortest first."""

    tokens: tuple[int, ...]

    def share_above(self, limit: int) -> float:
        return sum(length > limit for length in self.tokens) / len(self.tokens)


@dataclass(frozen=True)
class SeedSetting:
    """The run's seed. `written`: it is in the settings, if only as None."""

    seed: int | None
    place: SettingLocation
    written: bool = True
