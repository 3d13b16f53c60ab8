from math import log

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.loss.types import LossTrials
from probes.reporting.loss_reduction import NEAR, is_sum

PURE = 0.999  # cosine of the gradients: label smoothing, class weights and auxiliary terms part value and gradient
TWICE = 1.9  # a factor of two and more is a count (batches, rows, processes); dividing is some loops' way to accumulate
WIDE = 5.0  # times ln V: a random mT5 of two layers has 3, a large one 10


@probe(id="LOS004", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LRN*",))
def loss_is_scaled(perturbed_losses: LossTrials) -> Findings:
    """The loss is scaled: it is a multiple of the cross-entropy or exceeds the sum of its terms."""
    trials, parts = perturbed_losses, perturbed_losses.parts
    value, book, classes, whole = trials.value, trials.cross_entropy, trials.classes, sum(parts.values())
    factor = value / book if book else 1.0
    if _is_plain(trials) and not _is_reduction(factor, trials):
        yield Finding(
            where="the loss function",
            message=f"Loss: {value:.4f}, expected {book or 0:.4f}, the cross-entropy of the same logits and labels: "
            f"loss and gradient are {factor:.3g} times that",
            fix="use the mean over the scored labels, and let the trainer scale for batches and processes",
            measured={"loss": value, "cross_entropy": book, "factor": factor},
            severity=None if factor > TWICE else Severity.WARNING,
        )
    elif whole > 0 and min(parts.values()) >= 0 and value > whole * 1.05 and not is_sum(trials):
        named = ", ".join(f"{name} {part:.4f}" for name, part in parts.items())
        yield Finding(
            where="the loss function",
            message=f"Loss: {value:.4f}, expected at most {whole:.4f}, the sum of its terms ({named})",
            fix="use term weights that add up to 1, and do not multiply the sum",
            measured={"loss": value, "parts": whole, "factor": value / whole},
        )
    elif book and value > WIDE * log(max(classes, 2)) and abs(factor - 1) < NEAR:
        yield Finding(
            where="the scores",
            message=f"Loss: {value:.2f} at the start, a uniform prediction gives ln {classes} = {log(classes):.2f}: "
            "the logits are confident and wrong",
            fix="load trained weights, or initialize the head smaller; this may be by design in this model family",
            measured={"loss": value, "classes": classes},
            severity=Severity.NOTE,
        )


def _is_plain(trials: LossTrials) -> bool:
    """And a mean: what follows the batch size is LOS011's."""
    if trials.scale is None or trials.cosine is None or not trials.cross_entropy or trials.cosine < PURE:
        return False
    if trials.growth is not None and abs(trials.growth - 1) > NEAR:
        return False
    return abs(trials.value / trials.cross_entropy - trials.scale) <= NEAR * trials.scale


def _is_reduction(factor: float, trials: LossTrials) -> bool:
    """A mean over scored labels, over rows or over all positions; or the weight of one part among others."""
    tokens, positions = trials.tokens or 1, trials.positions or 1
    usual = (1.0, tokens / trials.rows, tokens / positions)
    return any(abs(factor / one - 1) <= NEAR for one in usual) or (factor < 1 and bool(trials.parts))
