"""Our trainer's step over a bare PyTorch loop with the same model, data and batches, interleaved in one run."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import torch
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import Dataset
from transformers import Seq2SeqTrainer, Seq2SeqTrainingArguments, TrainerCallback
from transformers.utils.logging import disable_progress_bar, set_verbosity_error

from tests.bench.cost.step_cost import Stepper
from tests.bench.report import Measured
from tests.support.audit_rows import Clips, Texts
from trainer.config import Resolved
from trainer.config.load import load
from trainer.loop.dataloaders import train_loader
from trainer.loop.run import build_trainer
from trainer.models.bundle import ModelBundle, build
from trainer.paths import shipped_config

MODELS = ("hybrid", "whisper", "e2e", "mt5")
WARMUP = 5
Loop = Callable[[Callable[[], None]], None]


class Pause(TrainerCallback):
    """Gives the turn to the other loops after every step."""

    def __init__(self, pause: Callable[[], None]) -> None:
        self.pause = pause

    def on_step_end(self, *_: Any, **__: Any) -> None:
        self.pause()


def measure(model: str, rounds: int = 60) -> Measured:
    """Pairs of steps on the same batch; the median of their ratios."""
    repetitions = f"{rounds} steps of each loop in turn, the first {WARMUP} left out, medians"
    return Measured(one_model(model, rounds), repetitions)


def one_model(model: str, rounds: int, rows: int = 96) -> dict[str, Any]:
    """Three loops in turn. The stock trainer draws its batches at random, so only its mean step can be compared."""
    disable_progress_bar()
    set_verbosity_error()
    with tempfile.TemporaryDirectory() as folder:
        loops = {
            name: Stepper(make(model, rows, Path(folder) / name))
            for name, make in {"bare": bare, "ours": ours, "stock": stock}.items()
        }
        times: dict[str, list[float]] = {name: [] for name in loops}
        for turn in range(rounds):
            order = list(loops)[turn % 3 :] + list(loops)[: turn % 3]
            for name in order:
                times[name].append(loops[name].step())
        for loop in loops.values():
            loop.end()
    kept = {name: values[WARMUP:] for name, values in times.items()}
    pairs = [ours / bare for ours, bare in zip(kept["ours"], kept["bare"], strict=True)]
    return {
        "ratio": statistics.median(pairs),
        "ratio_of_sums": sum(kept["ours"]) / sum(kept["bare"]),
        "bare_milliseconds": 1000 * statistics.median(kept["bare"]),
        "stock_trainer_default_sampling": {"ratio_of_sums": sum(kept["stock"]) / sum(kept["bare"])},
    }


def prepared(model: str, rows: int, folder: Path) -> tuple[Resolved, ModelBundle, Dataset]:
    """The demo's model and batch size, on rows in memory."""
    silent = ["training.eval_strategy=no", "training.save_strategy=no", "training.load_best_model_at_end=false"]
    plenty = ["training.max_steps=100000", "training.ctc_only_steps=0", "training.report_to=none"]
    resolved = load(shipped_config(f"demo_{model}"), [*silent, *plenty, f"output.dir={folder}"])
    dataset = Texts(rows) if model == "mt5" else Clips(rows)
    return resolved, build(resolved.config, dataset.texts()), dataset


def ours(model: str, rows: int, folder: Path) -> Loop:
    resolved, parts, dataset = prepared(model, rows, folder)

    def loop(pause: Callable[[], None]) -> None:
        trainer = build_trainer(resolved, parts, dataset, None)
        trainer.add_callback(Pause(pause))
        trainer.train()

    return loop


def bare(model: str, rows: int, folder: Path) -> Loop:
    """Forward, backward, clip, step: what nobody can leave out."""
    resolved, parts, dataset = prepared(model, rows, folder)
    trainer = build_trainer(resolved, parts, dataset, None)
    loader = train_loader(resolved.config, dataset, parts.collate, trainer.args)
    optimizer = trainer.create_optimizer()
    scheduler = LambdaLR(optimizer, lambda step: 1.0)

    def loop(pause: Callable[[], None]) -> None:
        parts.model.train()
        for epoch in count():
            loader.batch_sampler.set_epoch(epoch)
            for batch in loader:
                parts.model(**batch).loss.backward()
                torch.nn.utils.clip_grad_norm_(parts.model.parameters(), resolved.config.training.max_grad_norm)
                optimizer.step()
                scheduler.step()
                optimizer.zero_grad()
                pause()

    return loop


def stock(model: str, rows: int, folder: Path) -> Loop:
    """transformers' own trainer with its default sampling: every batch is padded to whatever it drew."""
    resolved, parts, dataset = prepared(model, rows, folder)
    training = resolved.config.training

    def loop(pause: Callable[[], None]) -> None:
        rates = {"learning_rate": training.learning_rate, "logging_steps": training.logging_steps}
        arguments = stock_arguments(folder, training.batch_size, max_steps=100000, **rates)
        trainer = Seq2SeqTrainer(parts.model, arguments, parts.collate, dataset, callbacks=[Pause(pause)])
        trainer.train()

    return loop


def stock_arguments(folder: Path, batch_size: int, **more: Any) -> Seq2SeqTrainingArguments:
    """Arguments of a run of transformers' own trainer that only trains: nothing is saved, reported or drawn."""
    return Seq2SeqTrainingArguments(
        output_dir=str(folder),
        per_device_train_batch_size=batch_size,
        save_strategy="no",
        report_to="none",
        remove_unused_columns=False,
        disable_tqdm=True,
        dataloader_pin_memory=False,
        use_cpu=not torch.accelerator.is_available(),
        **more,
    )
