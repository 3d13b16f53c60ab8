"""The lines that a smoke run prints, in a form that is easy to grep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from diagnose.common.printable import printable
from trainer.loop.runtime.out_of_memory import peak_memory

if TYPE_CHECKING:
    from transformers import PreTrainedModel

    from trainer.loop.guard.protocol import GuardProtocol
    from trainer.loop.trainer import RunTrainer
    from trainer.models.bundle import Batch, ModelBundle

LABELS = {"wer": "WER", "cer": "CER", "bleu": "BLEU", "chrf": "chrF"}
SAMPLES, WIDTH = 3, 100


class PrintingGuard:
    """Prints every step, then passes it on to the guard."""

    def __init__(self, guard: GuardProtocol, trainer: RunTrainer, print_every: int) -> None:
        self.guard, self.trainer, self.print_every = guard, trainer, print_every
        self.mode = guard.mode
        self.encoder = EncoderLines(trainer.model)

    def begin(self, **run_facts: Any) -> None:
        self.guard.begin(**run_facts)

    def due(self, step: int) -> bool:
        return self.guard.due(step)

    def judge(self, **figures: Any) -> bool:
        if figures.get("lr") is not None and figures["step"] % self.print_every == 0:
            assert self.trainer.step_monitor is not None
            batches = self.trainer.step_monitor.snapshot.batches
            for line in (*step_lines(self.trainer.bundle, batches, figures), *map(batch_line, batches), *self.encoder):
                self.print_line(line)
        return self.guard.judge(**figures) and "loss" in figures  # an evaluation is printed before the run may stop

    def halt(self, recording: Path | None = None) -> NoReturn:
        self.guard.halt(recording)

    def print_line(self, line: str) -> None:
        """Print to stdout, in the main process only."""
        if self.trainer.args.process_index == 0:
            print(printable(line), flush=True)


def step_lines(bundle: ModelBundle, batches: Sequence[Batch], figures: Mapping[str, Any]) -> Iterator[str]:
    """Two lines for a step: sizes and losses; gradient norm before clipping and learning rate."""
    rows, frames, labels = sizes(bundle, batches)
    losses = {"loss": figures["loss"], **{name: figures["parts"].get(name) for name in ("ctc", "att")}}
    text = "  ".join(f"{name}={value:.4f}" for name, value in losses.items() if value is not None)
    yield f"[DBG] step={figures['step']:3d}  B={rows}  T_max={frames}  L_max={labels} {text}"
    clip = f"  clip={figures['clip']:.2f}" if figures["clip"] else ""
    peak = f"  peak_memory={peak_memory() / 1e6:.0f}MB"
    yield f"       grad_norm={figures['grad_norm']:.2f}  lr={figures['lr']:.6e}{clip}{peak}"


def batch_line(batch: Batch) -> str:
    """Shape and NaN flag of every tensor of a micro-batch."""
    tensors = (f"{name} {list(value.shape)} nan={bool(value.isnan().any())}" for name, value in batch.items())
    return f"[DBG] batch: {'  '.join(tensors)}"


class EncoderLines:
    """`[DBG] encoder_out: [8, 62, 96]  mask_sum: 431`: the encoder's last output and its frames that are no padding."""

    def __init__(self, model: PreTrainedModel) -> None:
        self.model = model
        self._line = ""
        model.get_encoder().register_forward_hook(self._keep, with_kwargs=True)

    def __iter__(self) -> Iterator[str]:
        yield from [self._line] * bool(self._line)

    def _keep(self, encoder: Any, args: Any, inputs: Mapping[str, Any], output: Any) -> None:
        frames, *rest = output.to_tuple() if hasattr(output, "to_tuple") else output
        mask, lengths_of = inputs.get("attention_mask"), getattr(self.model, "encoder_lengths", None)
        if mask is not None:
            real = lengths_of(mask.sum(dim=1)).sum() if lengths_of else mask.sum()
        else:
            real = rest[0].sum() if rest else frames[..., 0].numel()
        self._line = f"[DBG] encoder_out: {list(frames.shape)}  mask_sum: {int(real)}"


def sizes(bundle: ModelBundle, batches: Sequence[Batch]) -> tuple[int, int, int]:
    """Rows of the step, the longest input and the longest labels, padding included."""
    labels = [bundle.labels_of(batch) for batch in batches]
    inputs = [_input(bundle, batch) for batch in batches]
    frames = max(one.shape[-1 if bundle.config.model.type == "whisper" else 1] for one in inputs)
    return sum(map(len, labels)), frames, max(one.shape[1] for one in labels)


def _input(bundle: ModelBundle, batch: Batch) -> Any:
    return next(value for value in batch.values() if value is not bundle.labels_of(batch))


def score_lines(figures: Mapping[str, float], name: str) -> Iterator[str]:
    """`== Dev WER: 38.21 %`, one line for each score."""
    for key, value in figures.items():
        if is_score(key):
            yield f"== {name} {LABELS.get(key, key.replace('rouge', 'ROUGE-'))}: {value:.2f} %"


def is_score(name: str) -> bool:
    """Whether a figure is a metric of the generated texts."""
    return name in LABELS or name.startswith("rouge")


def sample_lines(texts: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """References and predictions of the first texts."""
    for task, reference, prediction in texts[:SAMPLES]:
        yield f"   {task}"
        yield f"     reference:  {reference[:WIDTH]}"
        yield f"     prediction: {prediction[:WIDTH]}"
