from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.gradients.types import UserStep


@probe(id="GRD016", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("PRE*", "LRN*"))
def autocast_wraps_optimizer_step(user_step: UserStep) -> Findings:
    """autocast wraps backward() or optimizer.step() instead of the forward pass alone."""
    if any(call.autocast_left for call in user_step.calls):
        yield Finding(
            where="training_step",
            message="autocast is still on after training_step returned, expected off: the 16-bit copies of the "
            "weights, cached until it ends, outlive the update, and the next forward pass reads the old ones",
            fix="put autocast around forward pass and loss alone, as a with statement inside the step",
            measured={"left_on": True},
        )
        return
    walks = sum(walk.autocast for call in user_step.calls for walk in call.backward_calls)
    within = walks + sum(update.autocast for call in user_step.calls for update in call.updates)
    if within:
        yield Finding(
            where="training_step",
            message=f"autocast is on in {within} backward passes and updates of 2 calls, expected in none of them",
            fix="end the with statement of autocast before backward() and optimizer.step()",
            measured={"left_on": False, "within": within},
            severity=Severity.WARNING,
        )
