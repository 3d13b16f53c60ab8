"""Facts that are read from the configuration and the data it names; no model is built."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnose.common.flat_keys import flatten_keys
from diagnose.common.provider import provider
from trainer.data.columns import configured_columns, group_columns
from trainer.data.manifest import read_readable_rows

if TYPE_CHECKING:
    from trainer.config import Resolved
    from trainer.data.table import RowProblem


@provider
def config_path(config: Resolved) -> Path:
    return config.path


@provider
def config_values(config: Resolved) -> dict[str, tuple[Any, str, int | None]]:
    """Every value by its dotted key, with the file (or --set, or default) and the line that decided it."""
    from trainer.config.load import as_plain_dict

    flat, sources = flatten_keys(as_plain_dict(config.config)), config.sources
    return {key: (value, sources[key].name, sources[key].line) for key, value in flat.items()}


@provider
def train_rows(config: Resolved) -> list[dict[str, Any]]:
    return _read(config, "train")[0]


@provider
def eval_rows(config: Resolved) -> list[dict[str, Any]] | None:
    """None where there is no manifest, and none is needed."""
    path = config.config.splits / "dev.csv"
    if config.config.training.eval_strategy == "no" and not path.exists():
        return None
    return _read(config, "dev")[0]


@provider(may_be_empty=True)
def manifest_problems(config: Resolved) -> tuple[RowProblem, ...]:
    """Rows of the manifests that cannot be read, and durations that make no sense."""
    present = [name for name in ("train", "dev") if (config.config.splits / f"{name}.csv").exists()]
    return tuple(problem for name in present for problem in _read(config, name)[1])


def _read(config: Resolved, name: str) -> tuple[list[dict[str, Any]], list[RowProblem]]:
    rows, problems = read_readable_rows(config.config.splits / f"{name}.csv", configured_columns(config.config))
    return list(rows), problems


@provider
def audio_root(config: Resolved) -> Path:
    return config.config.paths.data_root


@provider
def configured_rows(config: Resolved) -> int | None:
    """The number of training rows; None if there is no manifest."""
    path = config.config.splits / "train.csv"
    return len(read_readable_rows(path)[0]) if path.exists() else None


@provider
def configured_dataset(config: Resolved) -> Any:
    """The training set as the run opens it; no model is needed for that."""
    from trainer.data.open_split import open_split

    return open_split(config.config, "train", readable_only=True)


@provider(may_be_empty=True)
def configured_device_memory(config: Resolved) -> str:
    """The memory of the GPU to train on, as the configuration states it; "" if it does not."""
    return config.config.training.device_memory or ""


@provider
def metric_names(config: Resolved) -> tuple[str, ...]:
    """The metrics that an evaluation of this run computes."""
    from trainer.evaluation.metrics import ROUGES

    names = {"transcribe": ("wer", "cer"), "translate": ("bleu", "chrf"), "summarize": ROUGES}
    names["both"] = names["transcribe"] + names["translate"]
    losses = ("loss", "att_loss", "ctc_loss") if config.config.model.ctc_weight else ("loss",)
    return (*losses, *(names[config.config.model.task] if config.config.training.predict_with_generate else ()))


@provider
def needed_columns(config: Resolved) -> tuple[str, ...]:
    from trainer.data.prepare import needed_texts

    texts = needed_texts(config.config)
    return texts if config.config.model.type == "mt5" else ("audio_path", *texts)


@provider
def group_column(config: Resolved) -> str:
    """The column by which the splits are made: nothing of one group is on both sides; "" if by row."""
    path = config.config.splits / "train.csv"
    named = config.config.data.group_column
    return named or next(iter(group_columns(read_readable_rows(path)[0][0]) if path.exists() else ()), "")


@provider
def configured_audio(config: Resolved) -> dict[str, float]:
    """The audio settings of the run, which may differ from those of the feature extractor."""
    audio = config.config.audio
    bounds = (audio.min_length_seconds, audio.max_length_seconds)
    return {"sample_rate": audio.sample_rate, "min_seconds": bounds[0], "max_seconds": bounds[1]}


@provider
def digest_inputs(config: Resolved) -> dict[str, Any]:
    """The inputs that a receipt digests; builds and decodes nothing."""
    from trainer.run_inputs import receipt_inputs

    return receipt_inputs(config)
