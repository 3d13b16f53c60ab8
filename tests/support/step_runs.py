"""Real runs and what they log: our trainer on the demo's corpora, and plain loops over the healthy subjects."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import torch
from transformers import TrainerCallback

from diagnose.records import Record, Records
from trainer.demo.corpus import make_corpus
from trainer.demo.corpus_plan import CorpusSize
from trainer.demo.run import settings
from trainer.pipeline.steps import data_step

SIZE = CorpusSize(videos=40, sentences_per_video=8, unseen_videos=1, documents_per_video=20)


class Recorder(TrainerCallback):
    """A record for every log line, with the norm of the weights."""

    def __init__(self) -> None:
        self.rows: list[Record] = []
        self.since = time.perf_counter()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, model: Any = None, **_: Any) -> None:
        figures = {name.removeprefix("eval_"): value for name, value in logs.items() if name.startswith("eval_")}
        figures = {name: value for name, value in figures.items() if "runtime" not in name and "second" not in name}
        if "loss" in logs or figures:
            norm = weight_norm(model)
            parts = {name: logs[f"{name}_loss"] for name in ("ctc", "att") if f"{name}_loss" in logs}
            took, self.since = time.perf_counter() - self.since, time.perf_counter()
            told = {"loss": logs.get("loss"), "grad_norm": logs.get("grad_norm"), "lr": logs.get("learning_rate")}
            known = {"clip": args.max_grad_norm, "weight_norm": norm, "weights_finite": norm == norm}
            step = Record(state.global_step, parts=parts, seconds=took, epoch=state.epoch, **told, **known)
            self.rows.append(Record(state.global_step, evaluation=figures) if figures else step)


def weight_norm(model: torch.nn.Module) -> float:
    with torch.no_grad():
        return float(torch.linalg.vector_norm(torch.stack([p.norm() for p in model.parameters()])))


def demo_run(model: str, seed: int, folder: Path, steps: int = 300, *overrides: str) -> Records:
    """The shipped demo configuration on a corpus of its generator, so many steps."""
    from trainer.data.open_split import open_split
    from trainer.loop.run import build_trainer
    from trainer.models.bundle import build

    root = folder / f"corpus-{seed}"
    make_corpus(root, seed, SIZE, workers=1)
    ours = (f"training.max_steps={steps}", "training.logging_steps=1", "training.eval_steps=100")
    quiet = ("training.save_strategy=no", "training.load_best_model_at_end=false", "training.report_to=none")
    resolved = settings(model, seed, root, (*ours, *quiet, *overrides))
    data_step(resolved.config)
    train_set, dev_set = (open_split(resolved.config, name) for name in ("train", "dev"))
    run = build_trainer(resolved, build(resolved.config, train_set.texts()), train_set, dev_set)
    recorder = Recorder()
    run.add_callback(recorder)
    run.train()
    schedule = str(getattr(run.args.lr_scheduler_type, "value", run.args.lr_scheduler_type))
    return Records.of(recorder.rows, total_steps=run.state.max_steps, finished=True, schedule=schedule)
