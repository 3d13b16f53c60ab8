from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.influence.types import EvalDropout


@probe(id="LOS024", stage=Stage.LOSS, severity=Severity.WARNING, explains=("GEN01[239]",))
def dropout_is_active_in_eval_mode(eval_dropout: tuple[EvalDropout, ...]) -> Findings:
    """Dropout stays active in eval mode, so evaluation and predictions are random."""
    for call in eval_dropout:
        argument = "dropout_p=0.0 unless self.training" if "attention" in call.function else "training=self.training"
        yield Finding(
            where=call.module,
            message=f"{call.function} in this {call.kind} applies dropout with p = {call.p:g} in eval mode, expected 0",
            fix=f"pass {argument}, or use nn.Dropout",
            measured={"p": call.p, "calls": len(eval_dropout)},
        )
