"""Every key a configuration may have, with its type, default and meaning. Frozen; unknown keys are refused."""

from pathlib import Path

from pydantic import Field

from trainer.config.augmentation_section import Augmentation
from trainer.config.field_types import Count, Number, Section, Text
from trainer.config.model_section import Model
from trainer.config.training_section import Dataloader, Training


class Paths(Section):
    """data_root and output_dir are relative to the working directory, the other two to data_root."""

    data_root: Path = Field(
        default=Path(),
        description="The folder that audio paths are relative to. It is relative to the working directory itself.",
    )
    manifest_path: Path = Field(
        default=Path("data/export/manifest.tsv"),
        description="The manifest: CSV, TSV, JSON lines, or a folder of clips with texts. Relative to data_root.",
    )
    splits_dir: Path = Field(
        default=Path("data/splits"),
        description="The folder of train.csv, dev.csv and test.csv, which `train split` writes. Relative to data_root.",
    )
    output_dir: Path = Field(
        default=Path("training/outputs"),
        description="The folder for the outputs of all runs. Relative to the working directory.",
    )


class ColumnNames(Section):
    """The names of the speech columns in the manifest and in the splits."""

    audio: Text | None = Field(
        default=None,
        description="The column of audio paths. null: audio_path, or a usual name such as path or audio_filepath.",
    )
    transcript: Text | None = Field(
        default=None,
        description="The column of transcripts. null: transcript, or a usual name such as sentence or text.",
    )
    translation: Text | None = Field(
        default=None,
        description="The column of translations. null: translation, or a usual name. Not needed for transcription.",
    )
    duration: Text | None = Field(
        default=None,
        description="The column of durations in seconds. null: duration, or a usual name. Without one, the audio "
        "headers are read.",
    )


class Data(Section):
    manifest_dir: Path | None = Field(
        default=None,
        description="A folder that already has train.csv, dev.csv and test.csv, used instead of paths.splits_dir.",
    )
    columns: ColumnNames = Field(
        default=ColumnNames(), description="The names of the speech columns, where they differ from ours."
    )
    group_column: Text | None = Field(
        default=None,
        description="All rows with one value of this column go to the same split. null: the first of video_id, "
        "speaker_id, client_id and the like that the manifest has, else rows are split one by one.",
    )
    document_column: Text = Field(default="document", description="The input column of the text task (mt5).")
    summary_column: Text = Field(default="summary", description="The target column of the text task (mt5).")


class Audio(Section):
    sample_rate: Count = Field(
        default=16000, le=768_000, description="Samples per second. Clips of other rates are resampled."
    )
    max_length_seconds: Number = Field(
        default=30.0,
        gt=0,
        le=86_400,
        description="`train prepare` removes longer clips. The audio that is loaded is cut here.",
    )
    min_length_seconds: Number = Field(default=0.5, ge=0, description="`train prepare` removes shorter clips.")
    num_mel_bins: Count = Field(
        default=80, le=256, description="Mel bins of the log-mel features (whisper and hybrid)."
    )
    cmvn: bool = Field(
        default=False,
        description="Normalize mean and variance of the log-mel features of each clip. Pretrained Whisper was trained "
        "without; models from random weights need it.",
    )


class Targets(Section):
    """Targets of the metrics, 0 to 100; null: no target."""

    wer: Number | None = Field(default=15.0, description="The word error rate should be below this.")
    cer: Number | None = Field(default=10.0, description="The character error rate should be below this.")
    bleu: Number | None = Field(default=25.0, description="BLEU should be above this.")
    chrf: Number | None = Field(default=50.0, description="chrF should be above this.")
    rouge1: Number | None = Field(default=50.0, description="ROUGE-1 should be above this.")
    rouge2: Number | None = Field(default=30.0, description="ROUGE-2 should be above this.")
    rougeL: Number | None = Field(default=None, description="ROUGE-L should be above this.")


class Evaluation(Section):
    targets: Targets = Field(
        default=Targets(), description="`train evaluate` shows for each metric whether its target is met."
    )


class Output(Section):
    dir: Path = Field(
        default=Path("training/outputs/run"),
        description="The folder of this run: model, checkpoints, log. Default: paths.output_dir and the name of the "
        "configuration file.",
    )
    experiment_name: Text = Field(
        default="run",
        pattern=r"^[\w.+-]+$",
        coerce_numbers_to_str=True,
        description="The name of the run in tables and charts. Default: the name of the configuration file.",
    )


class Config(Section):
    """One run, entirely described."""

    paths: Paths = Field(default=Paths(), description="Where the data is and where the outputs go.")
    data: Data = Field(default=Data(), description="How the manifest is read and split.")
    audio: Audio = Field(default=Audio(), description="How clips are loaded.")
    augmentation: Augmentation = Field(
        default=Augmentation(), description="Random changes of the training rows. None by default."
    )
    model: Model = Field(default=Model(), description="The architecture, its task, and where its weights come from.")
    training: Training = Field(default=Training(), description="Optimizer, schedule, precision, evaluation, saving.")
    dataloader: Dataloader = Field(default=Dataloader(), description="How batches are loaded.")
    evaluation: Evaluation = Field(default=Evaluation(), description="What the metrics are compared with.")
    output: Output = Field(default=Output(), description="The folder and the name of this run.")

    @property
    def manifest(self) -> Path:
        return self.paths.data_root / self.paths.manifest_path

    @property
    def splits(self) -> Path:
        """The folder that holds train.csv, dev.csv and test.csv."""
        return self.paths.data_root / (self.data.manifest_dir or self.paths.splits_dir)
