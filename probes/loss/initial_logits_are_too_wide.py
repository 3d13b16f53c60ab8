from math import log

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.influence.types import InitialScores

# Times ln V, over 12 seeds each: MLPs of 2 to 22 layers, LSTMs and transformers with torch's initial weights have 1.31
# at most; an output layer of 256 inputs with a std of 1 has 3.1 to 7.1. Libraries are left out: T5 begins so by design.
WIDE = 3.0


@probe(id="LOS025", stage=Stage.LOSS, severity=Severity.WARNING, explains=("LOS004",))
def initial_logits_are_too_wide(initial_scores: InitialScores) -> Findings:
    """The initial logits are too wide: the model is confident and wrong before it has learned anything."""
    found, guess = initial_scores, log(initial_scores.classes)
    if found.cross_entropy <= WIDE * guess or found.library:
        return
    yield Finding(
        where="the output layer",
        message=f"the initial cross-entropy is {found.cross_entropy:.3g}, a uniform prediction gives ln "
        f"{found.classes} = {guess:.3g}: the logits have a standard deviation of {found.spread:.3g}, expected about 1 "
        "at initialization",
        fix="initialize the output layer smaller (std at most 1/sqrt(fan_in)), or normalize its input",
        measured={"cross_entropy": found.cross_entropy, "classes": found.classes, "spread": found.spread},
    )
