"""The lines of a smoke run, in the form that people search their logs for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from trainer.loop.runtime.out_of_memory import peak_memory

if TYPE_CHECKING:
    from trainer.loop.guard.protocol import GuardProtocol
    from trainer.loop.trainer import RunTrainer
    from trainer.models.bundle import Batch, ModelBundle

LABELS = {"wer": "WER", "cer": "CER", "bleu": "BLEU", "chrf": "chrF"}
SAMPLES, WIDTH = 3, 100


class PrintingGuard:
    """Passes every step on to who judges, and tells it before."""

    def __init__(self, watch: GuardProtocol, trainer: RunTrainer, print_every: int) -> None:
        self.watch, self.trainer, self.print_every = watch, trainer, print_every
        self.mode, self.due = watch.mode, watch.due

    def begin(self, **known: Any) -> None:
        self.watch.begin(**known)

    def judge(self, **figures: Any) -> bool:
        if figures.get("lr") is not None and figures["step"] % self.print_every == 0:
            for line in step_lines(self.trainer.parts, self.trainer.sentinel.box.batches, figures):
                self.say(line)
        return self.watch.judge(**figures) and "loss" in figures  # an evaluation is shown first, whatever it is worth

    def halt(self, recording: Path | None = None) -> NoReturn:
        self.watch.halt(recording)

    def say(self, line: str) -> None:
        """What was asked for, so it goes to stdout; of many processes one speaks."""
        if self.trainer.args.process_index == 0:
            print(line, flush=True)


def step_lines(parts: ModelBundle, batches: Sequence[Batch], figures: Mapping[str, Any]) -> Iterator[str]:
    """Two lines for a step: sizes and losses; gradient norm before clipping and learning rate."""
    rows, frames, labels = sizes(parts, batches)
    losses = {"loss": figures["loss"], **{name: figures["parts"].get(name) for name in ("ctc", "att")}}
    told = "  ".join(f"{name}={value:.4f}" for name, value in losses.items() if value is not None)
    yield f"[DBG] step={figures['step']:3d}  B={rows}  T_max={frames}  L_max={labels} {told}"
    clip = f"  clip={figures['clip']:.2f}" if figures["clip"] else ""
    peak = f"  peak_memory={peak_memory() / 1e6:.0f}MB"
    yield f"       grad_norm={figures['grad_norm']:.2f}  lr={figures['lr']:.6e}{clip}{peak}"


def sizes(parts: ModelBundle, batches: Sequence[Batch]) -> tuple[int, int, int]:
    """Rows of the step, the longest input and the longest labels, padding included."""
    labels = [parts.labels_of(batch) for batch in batches]
    inputs = [_input(parts, batch) for batch in batches]
    frames = max(one.shape[-1 if parts.config.model.type == "whisper" else 1] for one in inputs)
    return sum(map(len, labels)), frames, max(one.shape[1] for one in labels)


def _input(parts: ModelBundle, batch: Batch) -> Any:
    return next(value for value in batch.values() if value is not parts.labels_of(batch))


def score_lines(figures: Mapping[str, float], name: str) -> Iterator[str]:
    """`== Dev WER: 38.21 %`, one line for each score."""
    for key, value in figures.items():
        if is_score(key):
            yield f"== {name} {LABELS.get(key, key.replace('rouge', 'ROUGE-'))}: {value:.2f} %"


def is_score(name: str) -> bool:
    """Whether a figure tells how good the texts are."""
    return name in LABELS or name.startswith("rouge")


def sample_lines(texts: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """What the model says, beside what it should have said."""
    for task, reference, said in texts[:SAMPLES]:
        yield f"   {task}"
        yield f"     reference:  {reference[:WIDTH]}"
        yield f"     prediction: {said[:WIDTH]}"
