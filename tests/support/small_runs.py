"""Small real models and data for the tests of the loop: every architecture, rows of unequal length."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from torch.utils.data import Dataset

from trainer.config import Config, Resolved

WORDS = (
    "xin",
    "chào",
    "the",
    "model",
    "học",
    "nhanh",
    "quá",
    "today",
    "we",
    "train",
    "một",
    "mô",
    "hình",
    "nhỏ",
    "for",
)
ARCHITECTURES = ("whisper", "whisper+ctc", "e2e+ctc", "hybrid", "mt5")
ROOT = Path(__file__).resolve().parents[2]
RANDOM = {"hidden": 16, "layers": 1, "decoder_layers": 1, "heads": 2, "ffn": 32, "dropout": 0.0, "conv_channels": 8}
NORM = {"conv_norm": "layer"}  # group norm over time depends on padding, so that no batch equals its parts


def sentence(number: int, salt: int = 0) -> str:
    """Between one and seven words, the same for the same number."""
    count = 1 + (number * 5 + salt) % 7
    return " ".join(WORDS[(number * 3 + salt + place * 5) % len(WORDS)] for place in range(count))


class ToneSet(Dataset):
    """Clips of unequal length whose pitch says nothing, with transcripts and translations of unequal length."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, index: int) -> dict[str, Any]:
        generator = torch.Generator().manual_seed(index)
        seconds = self.lengths()[index]
        return {
            "audio": 0.1 * torch.randn(int(16000 * seconds), generator=generator),
            "sample_rate": 16000,
            "transcript": sentence(index),
            "translation": sentence(index, 4),
            "audio_path": f"clip-{index}.wav",
            "duration": seconds,
            "id": f"memory:{index}",
        }

    def lengths(self) -> list[float]:
        return [0.9 + 0.1 * (index * 7 % 10) for index in range(self.rows)]

    def texts(self) -> list[str]:
        return [sentence(index, salt) for index in range(self.rows) for salt in (0, 4)]


class TextSet(Dataset):
    """Documents and their summaries, of unequal length."""

    def __init__(self, rows: int) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return self.rows

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {
            "document": f"{sentence(index)} {sentence(index, 2)}",
            "summary": sentence(index),
            "id": f"memory:{index}",
        }

    def lengths(self) -> list[float]:
        return [float(len(self[index]["document"])) for index in range(self.rows)]

    def texts(self) -> list[str]:
        return [self[index][name] for index in range(self.rows) for name in ("document", "summary")]


def dataset(architecture: str, rows: int) -> Dataset:
    """Rows that fit the architecture."""
    return TextSet(rows) if architecture == "mt5" else ToneSet(rows)


def config(architecture: str, directory: Path, dropout: float = 0.0, **training: Any) -> Config:
    """A configuration of random weights that takes milliseconds per step."""
    kind, _, ctc = architecture.partition("+")
    model: dict[str, Any] = {"type": kind, "random": {**RANDOM, **NORM, "dropout": dropout}}
    if ctc:
        model["ctc_weight"] = 0.4
    if "freeze_encoder" in training:
        model["freeze_encoder"] = training.pop("freeze_encoder")
    workers = training.pop("num_workers", 0)
    defaults = {"batch_size": 2, "max_steps": 4, "logging_steps": 1, "learning_rate": 1e-3, "generation_max_length": 6}
    quiet = {"eval_strategy": "no", "save_strategy": "no", "load_best_model_at_end": False, "report_to": "none"}
    return Config.model_validate(
        {
            "audio": {"max_length_seconds": 2, "cmvn": kind != "e2e"},
            "model": model,
            "training": {**defaults, **quiet, **training},
            "dataloader": {"num_workers": workers, "pin_memory": False},
            "output": {"dir": directory, "experiment_name": "test"},
        }
    )


def resumed(architecture: str, directory: Path, rows: int = 10, eval_rows: int = 0, **training: Any) -> Any:
    """The same trainer as a new process would build it from the newest whole checkpoint, which it goes on from."""
    from trainer.loop.checkpoints.resume import newest
    from trainer.loop.run import build_trainer
    from trainer.models.bundle import load_bundle

    checkpoint = newest(directory)
    settings = config(architecture, directory, **training)
    bundle = load_bundle(checkpoint, settings)
    eval_set = dataset(architecture, eval_rows) if eval_rows else None
    run = build_trainer(Resolved(settings, {}, Path("test.yaml")), bundle, dataset(architecture, rows), eval_set)
    run.train(resume_from_checkpoint=str(checkpoint))
    return run


def trainer(architecture: str, directory: Path, rows: int = 10, eval_rows: int = 0, **training: Any) -> Any:
    """The trainer of a run, as `train` builds it."""
    from trainer.loop.run import build_trainer
    from trainer.models.bundle import build

    torch.set_num_threads(1)
    settings = config(architecture, directory, **training)
    train_set = dataset(architecture, rows)
    bundle = build(settings, train_set.texts())
    eval_set = dataset(architecture, eval_rows) if eval_rows else None
    return build_trainer(Resolved(settings, {}, Path("test.yaml")), bundle, train_set, eval_set)


def write_corpus(directory: Path, architecture: str, rows: int = 12, dev_rows: int = 4) -> None:
    """The same rows as files: sound, and the splits that name it."""
    import soundfile

    from diagnose.common.atomic_write import write_files
    from trainer.data.manifest import table_text

    splits = {"train": range(rows), "dev": range(rows, rows + dev_rows)}
    items = dataset(architecture, rows + dev_rows)
    for name, numbers in splits.items():
        table = []
        for number in numbers:
            item = dict(items[number])
            if "audio" in item:
                soundfile.write(directory / item["audio_path"], item.pop("audio").numpy(), item.pop("sample_rate"))
            table.append({key: str(value) for key, value in item.items() if key != "id"})
        path = directory / "splits" / f"{name}.csv"
        write_files({path: table_text(path, table, list(table[0]))})


def write_run(directory: Path, architecture: str = "hybrid", rows: int = 12, **training: Any) -> Path:
    """A corpus and a configuration on disk; the path of the configuration."""
    directory.mkdir(parents=True, exist_ok=True)
    write_corpus(directory, architecture, rows)
    settings = config(architecture, directory / "run", **training).model_dump(mode="json")
    settings["paths"] |= {"data_root": str(directory), "splits_dir": "splits"}
    path = directory / "run.yaml"
    path.write_text(json.dumps(settings), encoding="utf-8")
    return path
