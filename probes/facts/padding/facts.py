"""The same row alone and padded."""

from typing import TYPE_CHECKING, Any

from diagnose.common.provider import provider
from diagnose.engine.context import NotApplicable, Unavailable
from probes.facts.collation.types import CollatedSample
from probes.facts.hf_trainer.mutable_state import mutable_state_of
from probes.facts.padding.types import PaddingEffect

if TYPE_CHECKING:
    from torch.nn import Module


@provider
def padding_effect(
    model: "Module",
    collated_sample: CollatedSample,
    compute_loss: Any = None,
    labels_of: Any = None,
    trainer: Any = None,
) -> PaddingEffect:
    """The shortest of the collated items alone, and the same beside the longest."""
    from probes.facts.core.model_output import NoLoss, labels_of_batch, loss_of_output
    from probes.facts.padding.compare import NotComparable, compare

    loss, read = compute_loss or loss_of_output, labels_of or labels_of_batch
    try:
        return compare(model, collated_sample, loss, read, mutable_state_of(trainer))
    except (NotComparable, NoLoss) as reason:
        raise NotApplicable(str(reason)) from reason
    except (RuntimeError, ValueError, IndexError) as reason:
        raise Unavailable(f"a batch of one or two rows raised {type(reason).__name__}: {reason}") from reason
