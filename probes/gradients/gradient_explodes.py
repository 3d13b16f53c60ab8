from math import sqrt
from typing import Any

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.first_step.types import Gradients, ParameterGradient
from probes.facts.gradients.types import LayerGradients
from probes.reporting.layer_finding import is_steady, layer_finding

HALF = 65504.0  # float16's largest number: no mixed precision holds such a gradient, scaled or not
# An update larger than the weights undoes the initialisation. Adaptive optimisers move each element by about the rate:
# ten times the rate is not theirs. Weights below 0.1 may be meant to start small.
SMALL, RATES = 0.1, 10.0
GROWN = 1e4  # from last layer to first: as for a gradient that vanishes, the other way round


@probe(id="GRD006", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("GRD004", "PRE*", "LRN*", "GEN*"))
def gradient_explodes(
    first_gradients: Gradients,
    layer_gradients: tuple[LayerGradients, ...] | None = None,
    training_arguments: Any = None,
) -> Findings:
    """Gradients of the first step explode: an update with them destroys the weights."""
    rows = [row for row in first_gradients.rows if row.norm and row.finite and row.dims > 1]
    huge = max(rows, key=lambda row: row.largest, default=None)
    deep = [depth for depth in layer_gradients or () if is_steady(depth) and depth.ratio >= GROWN]
    for depth in deep:
        fix = f"initialize {depth.stack or 'the model'} so that each layer keeps the scale, or add normalization layers"
        yield layer_finding(depth, "grows", fix, None if huge and huge.largest > HALF else Severity.WARNING)
    if huge and huge.largest > HALF and not deep:
        yield Finding(
            where=huge.name,
            message=f"an element of this gradient is {huge.largest:.3g} (norm of all {first_gradients.norm:.3g}), "
            f"expected less than {HALF:.0f}, the largest number of float16",
            fix="scale inputs, weights and loss to about 1: look for a sum or a factor before the loss",
            measured={"largest": huge.largest, "norm": first_gradients.norm},
        )
    elif huge:
        yield from _leaps(first_gradients, rows, training_arguments)


def _leaps(gradients: Gradients, rows: list[ParameterGradient], arguments: Any) -> Findings:
    known = arguments if isinstance(arguments, dict) else getattr(arguments, "__dict__", {})
    limit = float(known.get("max_grad_norm") or 0.0)
    clip = min(1.0, limit / gradients.norm) if limit else 1.0
    moves = [(clip * (row.moved or 0.0) / sqrt(row.size), row.weight_norm / sqrt(row.size), row) for row in rows]
    leaps = [m for m in moves if m[0] > max(m[1], SMALL, RATES * (gradients.rate or 0.0))]
    if leaps:
        moved, weight, row = max(leaps, key=lambda leap: leap[0])
        yield Finding(
            where=row.name,
            message=f"the first update changes each weight by {moved:.3g}, expected less than the weights themselves, "
            f"{weight:.3g} (gradient norm {gradients.norm:.3g}, learning rate {gradients.rate:.2g})",
            fix="clip the gradient norm at 1.0 and lower the learning rate until an update is about 1 % of the weights",
            measured={"moved": moved, "weight": weight, "norm": gradients.norm},
        )
