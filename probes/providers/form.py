"""The shape of the first batch, beside what the model takes."""

from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from probes.measured.form import BatchForm

if TYPE_CHECKING:
    from torch.nn import Module


@provider
def batch_form(model: "Module", batch: Any, labels_of: Any = None) -> BatchForm:
    from probes.instruments.form import form_of
    from probes.instruments.outputs import labels_of_batch

    return form_of(model, batch, labels_of or labels_of_batch)
