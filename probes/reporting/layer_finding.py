"""Findings about a gradient that grows or fades from layer to layer."""

from diagnose import Finding, Severity
from probes.facts.gradients.types import LayerGradients

LAYERS, STEADY = 4, 0.8  # the least number of layers; the share of steps from layer to layer that go one way


def is_steady(stack: LayerGradients) -> bool:
    return len(stack.sizes) >= LAYERS and stack.steadiness >= STEADY


def layer_finding(stack: LayerGradients, verb: str, fix: str, severity: Severity | None) -> Finding:
    """At the first layer, with the factor from each layer to the one before it; None is the probe's severity."""
    each = float(stack.ratio ** (1 / (len(stack.sizes) - 1)))
    ends = f"{stack.sizes[-1]:.2g} in {stack.layers[-1]}, {stack.sizes[0]:.2g} in {stack.layers[0]}"
    message = f"the gradient {verb} in the backward pass, {each:.2g}x per layer: {ends}, expected similar sizes"
    return Finding(stack.layers[0], message, fix, {"ratio": stack.ratio, "layers": len(stack.sizes)}, severity)
