from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.gradients.types import UserStep


@probe(id="GRD016", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("PRE*", "LRN*"))
def autocast_wraps_optimizer_step(user_step: UserStep) -> Findings:
    """autocast wraps backward() or optimizer.step() instead of the forward pass alone."""
    if any(call.autocast_left for call in user_step.calls):
        yield Finding(
            where="training_step",
            message="autocast is still on after training_step returns, expected off: its cached 16-bit weights are "
            "not refreshed after the update, so the next forward pass uses old weights",
            fix="use autocast only around the forward pass and the loss, as a with block inside the step",
            measured={"left_on": True},
        )
        return
    walks = sum(walk.autocast for call in user_step.calls for walk in call.backward_calls)
    updates = sum(update.autocast for call in user_step.calls for update in call.updates)
    within = walks + updates
    if within:
        yield Finding(
            where="training_step",
            message=f"autocast is on in {within} backward passes and updates of 2 calls, expected 0",
            fix="close the autocast block before backward() and optimizer.step()",
            measured={"left_on": False, "within": within},
            severity=None if updates else Severity.WARNING,  # a backward pass repeats the types of its forward pass
        )
