from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.gradients.types import UserStep


@probe(id="GRD014", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def optimizer_step_is_missing(user_step: UserStep) -> Findings:
    """The training step never calls backward() or optimizer.step(): nothing is learned."""
    calls = user_step.calls
    if len(calls) < 2 or any(call.updates or call.moved or call.rescaled for call in calls):
        return
    walks = sum(len(call.backward_calls) for call in calls)
    tried = max(len(calls), walks)
    lacks = "optimizer.step() was not called" if walks else "neither backward() nor optimizer.step() was called"
    yield Finding(
        where="training_step",
        message=f"after {tried} calls all weights are bit-identical: {lacks}, expected one update per call",
        fix="call optimizer.step() (or scaler.step(optimizer)) in training_step, after backward"
        if walks
        else "call loss.backward() and optimizer.step() in training_step",
        measured={"calls": len(calls), "backward_passes": walks, "updates": 0},
    )
