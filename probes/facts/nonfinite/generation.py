"""Where NaN is born while the model generates: in logits that the search for tokens then refuses."""

from typing import Any

import torch

from probes.facts.core.batches import copy_batch, tensors_of
from probes.facts.core.hooks import removed_afterwards
from probes.facts.core.observer import restore_afterwards
from probes.facts.nonfinite.module_calls import ModuleCallStack
from probes.facts.nonfinite.provenance import NonFiniteTracker
from probes.facts.nonfinite.traced_step import AutocastSetup, earliest_origin, unwrapped
from probes.facts.nonfinite.types import Origin

PHASE = "generation"


class BadLogits(Exception):
    """Leaves generate at the first logits that hold NaN."""

    def __init__(self, logits: torch.Tensor) -> None:
        super().__init__("logits hold NaN")
        self.logits = logits


def origin_in_generation(subject: AutocastSetup, batch: Any, generate: Any) -> Origin | None:
    """The origin of the first NaN in the logits while this batch is generated from; None if there is none."""
    model = unwrapped(subject.model)
    calls, batch = ModuleCallStack(model), copy_batch(batch)
    known = {"weights": [*model.named_parameters(), *model.named_buffers()], "data": list(tensors_of(batch))}
    with restore_afterwards(model), torch.no_grad(), torch.compiler.set_stance("force_eager"):
        model.eval()
        tracker = NonFiniteTracker(calls, known)
        tracker.phase = PHASE
        with removed_afterwards([model.register_forward_hook(_leave_at_nan)]), calls.followed(), tracker:
            try:
                generate(model, batch)
            except BadLogits as found:
                bad = found.logits
            else:
                return None
        return earliest_origin([("the logits in generate()", tracker.origin_of(bad))], subject)


def _leave_at_nan(model: torch.nn.Module, given: Any, output: Any) -> None:
    logits = output.get("logits") if isinstance(output, dict) else getattr(output, "logits", output)
    if isinstance(logits, torch.Tensor) and bool(torch.isnan(logits).any()):
        raise BadLogits(logits)
