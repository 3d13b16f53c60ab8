from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.first_step.types import GradientReach
from probes.facts.loss.types import LossTrials

# Of the scores' spread: float32 leaves 1e-6; at random weights a Whisper's scores move by 1e-2, a wav2vec2's by 1e-3.
STILL = 1e-5
SAME = 1e-5  # relative, of the loss
LARGE = 0.1  # as for gradients: of what trains


@probe(id="LOS005", stage=Stage.LOSS, severity=Severity.ERROR, explains=("LOS021", "GRD*", "LRN*", "GEN*"))
def loss_ignores_input(perturbed_losses: LossTrials, gradient_reach: GradientReach | None = None) -> Findings:
    """The loss ignores the input: logits stay the same when rows exchange their inputs."""
    follow = perturbed_losses.logit_change
    cuts = gradient_reach.cuts if gradient_reach else ()
    if follow is None or follow > STILL or (perturbed_losses.loss_change or 0.0) > SAME * abs(perturbed_losses.value):
        return  # where the model runs twice, the last scores may not be those of this input
    if any(cut.followed or (gradient_reach and gradient_reach.share(cut) >= LARGE) for cut in cuts):
        return  # the gradient names the module in which it is lost
    lost = perturbed_losses.signal_lost_in
    how = f"{lost} has the same output for different inputs" if lost else "no module receives different inputs"
    yield Finding(
        where=lost or "the model's input",
        message=f"the logits change by {follow:.1e} standard deviations when {perturbed_losses.rows} rows swap "
        f"inputs, expected well above 0.00001; the same after a small change of all weights; {how}",
        fix="trace one input through forward: it is overwritten, constant, or dropped before the logits",
        measured={"scores_follow": follow, "loss_follows": perturbed_losses.loss_change},
    )
