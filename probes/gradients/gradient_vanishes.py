from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.first_step.types import GradientReach
from probes.facts.gradients.types import LayerGradients
from probes.reporting.layer_finding import is_steady, layer_finding

# Adam divides by the gradient's size plus 1e-8: what is smaller hardly moves, however long it trains. In SGD a rate of
# 0.1 times 1e-8 is below the last of float32's 24 bits for weights of 0.1.
NOTHING = 1e-8
# Queries and keys start near nothing where attention starts even, 2 of 12 parts of a layer: a third is no such thing,
# nor is a part all of whose matrices, four and more, get nothing.
LARGE, WHOLE = 1 / 3, 4
# From last layer to first: one rate cannot serve both; a tenth for each layer in a stack of five.
FADED = 1e-4


@probe(id="GRD005", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("PRE*", "LRN*", "GEN*"))
def gradient_vanishes(
    gradient_reach: GradientReach, layer_gradients: tuple[LayerGradients, ...] | None = None
) -> Findings:
    """Gradients vanish in the backward pass: they become too small to update the weights."""
    faint = [part for part in gradient_reach.faint if part.largest < NOTHING]
    share = sum(part.size for part in faint) / max(gradient_reach.trainable, 1)
    if faint and (share >= LARGE or any(part.tensors >= WHOLE for part in faint)):
        worst = max(faint, key=lambda part: part.size)
        yield Finding(
            where=worst.module,
            message=f"the largest gradient element of {sum(part.tensors for part in faint)} matrices ({share:.1%} of "
            f"the trainable parameters) is {max(part.largest for part in faint):.2g}, expected more than {NOTHING:.0e}",
            fix=f"find what shrinks the gradient between {worst.module} and the loss: scale, activation or missing "
            "skip connection",
            measured={"largest": worst.largest, "share": share, "parts": len(faint)},
        )
        return
    for depth in layer_gradients or ():
        if is_steady(depth) and depth.ratio <= FADED:
            fix = f"add skip connections or normalization to {depth.stack or 'the model'}, or initialize it again"
            yield layer_finding(depth, "fades", fix, Severity.WARNING)
