from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.gradients.types import UserStep


@probe(id="GRD015", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("GRD013", "GRD019", "LRN*", "GEN*"))
def optimizer_step_order_is_wrong(user_step: UserStep) -> Findings:
    """optimizer.step() runs before backward() or after zero_grad(), with stale or no gradients."""
    if not user_step.calls:
        return
    call = user_step.calls[0]
    if not call.updates or not call.backward_calls or any(walk.in_closure for walk in call.backward_calls):
        return
    made, update = call.backward_calls[-1].after, call.updates[0]
    if not update.walks:
        yield Finding(
            where="training_step",
            message=f"optimizer.step() ran before backward(), with a gradient of norm {update.norm:.4g}; expected "
            f"{made:.4g}, the norm after backward()",
            fix="call backward(), then optimizer.step(), then zero_grad()",
            measured={"at_update": update.norm, "after_backward": made},
        )
    elif made and not update.norm:
        yield Finding(
            where="training_step",
            message=f"backward() computed a gradient of norm {made:.4g}, but optimizer.step() received 0: zero_grad() "
            "ran in between",
            fix="move zero_grad() after optimizer.step(), or before the forward pass",
            measured={"at_update": 0.0, "after_backward": made},
        )
