"""Which of the healthy subjects a subject is like: a fault that can be put into the one can be put into the other."""

from collections.abc import Mapping
from typing import Any

from diagnose.common.provider import provider
from probes.facts.core.step_setup import LabelsOf


@provider
def subject_kind(model: Any, batch: Any, labels_of: LabelsOf, tokenizer: Any = None) -> tuple[str, ...]:
    """One name, or none: by the form of the labels, by what the model reads, and by its family."""
    import torch

    labels = labels_of(batch)
    if not torch.is_tensor(labels) or labels.is_floating_point():
        return ()
    if labels.dim() == 1:
        return ("classifier",) if isinstance(batch, list | tuple) and len(batch) == 2 else ()
    if tokenizer is None or labels.dim() != 2 or not isinstance(batch, Mapping):
        return ()
    return (_family(model, batch),)


def _family(model: Any, batch: Any) -> str:
    ancestors = " ".join(kind.__name__ for kind in type(model).__mro__)
    if "Whisper" in ancestors:
        return "whisper"
    if "SpeechEncoderDecoder" in ancestors:
        return "e2e"
    return "mt5" if "input_ids" in batch else "hybrid"
