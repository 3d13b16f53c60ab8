from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.placement.types import TrainingPass


@probe(id="PLC006", stage=Stage.PLACEMENT, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def step_runs_in_eval_mode(training_pass: TrainingPass) -> Findings:
    """The training step runs the model in eval mode or leaves it in that mode."""
    step = training_pass
    if step.ran_in_evaluation:
        told = "although it was in train mode before" if step.was_in_training else "as before the step"
        yield Finding(
            where=step.by,
            message=f"the model runs in eval mode here, {told}: dropout is off, and batch norm uses running statistics",
            fix="call model.train() before the forward pass of every training step",
            severity=None if step.was_in_training else Severity.NOTE,
        )
    elif step.left_in_evaluation and step.was_in_training:
        yield Finding(
            where=step.by,
            message="it ends with the model in eval mode, so the next step trains without dropout",
            fix="call model.train() after the code in it that calls model.eval()",
        )
