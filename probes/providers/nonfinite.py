"""Where a value that is not finite was born: looked for only where the first step has one."""

from math import isfinite
from typing import TYPE_CHECKING, Any

from diagnose.facts import Unavailable
from probes.measured.data import Drawing
from probes.measured.origin import Bisected
from probes.measured.steps import FirstStep

if TYPE_CHECKING:
    from torch.nn import Module


def bisected(
    model: "Module",
    batch: Any,
    first_step: FirstStep,
    compute_loss: Any = None,
    optimizer: Any = None,
    drawing: Drawing | None = None,
    train_dataset: Any = None,
    trainer: Any = None,
) -> Bisected:
    """The origin of the first step's bad value; a finite step costs nothing more."""
    if first_step.loss is None:
        raise Unavailable(str(first_step.failure))
    if _finite(first_step):
        return Bisected()
    from probes.instruments.bisect import bisect
    from probes.instruments.outputs import loss_of_output
    from probes.instruments.replay import Subject
    from probes.instruments.rows import names_of
    from probes.providers.steps import _around

    subject = Subject(model, compute_loss or loss_of_output, optimizer, others=tuple(_around(trainer)))
    return bisect(subject, batch, names_of(train_dataset, drawing.indices[0]) if drawing and drawing.indices else ())


def _finite(step: FirstStep) -> bool:
    if step.loss is None or not isfinite(step.loss.value):
        return False
    rows = step.gradients.rows if step.gradients else ()
    return all(row.finite and (row.moved is None or isfinite(row.moved)) for row in rows)
