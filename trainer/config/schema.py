"""Every key a configuration may have, with its type and its default. Frozen; unknown keys are refused."""

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from trainer.config.field_types import Count, Number, Section, Strategy, Text, Whole, refuse_bool
from trainer.config.model_section import Model

Schedule = Literal[
    "linear", "cosine", "cosine_with_restarts", "polynomial", "constant", "constant_with_warmup", "inverse_sqrt"
]


class Paths(Section):
    """data_root and output_dir are relative to the working directory, the other two to data_root."""

    data_root: Path = Path()
    manifest_path: Path = Path("data/export/manifest.tsv")
    splits_dir: Path = Path("data/splits")
    output_dir: Path = Path("training/outputs")


class Data(Section):
    manifest_dir: Path | None = None  # a folder with train.csv, dev.csv, test.csv; takes the place of paths.splits_dir
    group_column: Text = "video_id"
    document_column: Text = "document"
    summary_column: Text = "summary"


class Audio(Section):
    sample_rate: Count = 16000
    max_length_seconds: Annotated[Number, Field(gt=0)] = 30.0
    min_length_seconds: Annotated[Number, Field(ge=0)] = 0.5
    num_mel_bins: Count = 80
    cmvn: bool = False  # mean and variance of each utterance's log-mel features; pretrained Whisper was trained without


class Training(Section):
    batch_size: Count = 8
    eval_batch_size: Count | None = None  # null: batch_size
    gradient_accumulation_steps: Count = 1
    learning_rate: Annotated[Number, Field(gt=0)] = 5e-5
    lr_scheduler_type: Schedule = "linear"
    warmup_ratio: Annotated[Number, Field(ge=0, lt=1)] = 0.0
    warmup_steps: Whole = 0
    weight_decay: Annotated[Number, Field(ge=0)] = 0.0
    max_grad_norm: Annotated[Number, Field(ge=0)] = 1.0
    num_train_epochs: Annotated[Number, Field(gt=0)] = 3.0
    max_steps: Annotated[int, BeforeValidator(refuse_bool), Field(ge=-1)] = -1  # -1: as many as num_train_epochs makes
    fp16: bool = False
    bf16: bool = False
    keep_fp32: tuple[Text, ...] = ()  # modules, by name or pattern, that stay in fp32 under fp16 or bf16
    gradient_checkpointing: bool = False
    eval_strategy: Strategy = "steps"
    eval_steps: Count = 500
    save_strategy: Strategy = "steps"
    save_steps: Count = 500
    save_total_limit: Count | None = 3
    logging_steps: Count = 50
    load_best_model_at_end: bool = True
    metric_for_best_model: Text = "eval_loss"
    greater_is_better: bool = False
    early_stopping_patience: Count | None = None  # evaluations without a better metric before the run stops
    report_to: Literal["tensorboard", "none"] = "tensorboard"
    seed: Whole = 42
    shuffle: bool = True
    freeze_encoder_epochs: Whole | None = None  # a frozen encoder is unfrozen after so many epochs; null: never
    ctc_only_steps: Whole = 0  # so many first steps train the encoder by CTC alone
    predict_with_generate: bool = True
    generation_max_length: Count = 256
    generation_num_beams: Count = 1


class Dataloader(Section):
    num_workers: Whole = 4
    pin_memory: bool = True
    prefetch_factor: Count = 2
    group_by_length: bool = True


class Output(Section):
    dir: Path = Path("training/outputs/run")
    experiment_name: Annotated[str, Field(pattern=r"^[\w.+-]+$", coerce_numbers_to_str=True)] = "run"


class Config(Section):
    """One run, entirely described."""

    paths: Paths = Paths()
    data: Data = Data()
    audio: Audio = Audio()
    model: Model = Model()
    training: Training = Training()
    dataloader: Dataloader = Dataloader()
    output: Output = Output()

    @property
    def manifest(self) -> Path:
        return self.paths.data_root / self.paths.manifest_path

    @property
    def splits(self) -> Path:
        """The folder that holds train.csv, dev.csv and test.csv."""
        return self.paths.data_root / (self.data.manifest_dir or self.paths.splits_dir)
