"""One step of a run as it was logged. Plain data, no torch."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite


@dataclass(frozen=True)
class GeneratedText:
    """A text that the model generated, and what it should have been."""

    text: str
    reference: str = ""


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of one step, or of the stretch since the record before. Only the step is always known."""

    step: int
    loss: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)  # ctc, att
    grad_norm: float | None = None  # before clipping
    clip: float | None = None  # the norm to which gradients are clipped
    lr: float | None = None
    scale: float | None = None  # of the gradient scaler
    weight_norm: float | None = None
    weights_finite: bool | None = None
    seconds: float | None = None  # for one step, waiting for data included
    loading_seconds: float | None = None  # of these, waiting for data
    epoch: float | None = None
    evaluation: Mapping[str, float] = field(default_factory=dict)  # loss, wer, bleu...: without the prefix eval_
    texts: tuple[GeneratedText, ...] = ()


def first_nonfinite(row: Record) -> str:
    """The first figure of a step that is not finite, or nothing; an evaluation is no part of the training."""
    if row.loss is not None and not isfinite(row.loss):
        return "loss"
    if row.grad_norm is not None and not isfinite(row.grad_norm):
        return "grad_norm"
    return "weights" if row.weights_finite is False or not isfinite(row.weight_norm or 0.0) else ""
