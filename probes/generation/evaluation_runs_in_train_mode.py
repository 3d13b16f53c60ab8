from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.types import EvaluationPair
from probes.reporting.evaluation_figures import differing_figures


@probe(id="GEN012", stage=Stage.GENERATION, severity=Severity.ERROR, explains=("GEN013",))
def evaluation_runs_in_train_mode(evaluation_twice: EvaluationPair) -> Findings:
    """Evaluation runs in train mode: model.eval() is never called, so metrics change from run to run."""
    both = evaluation_twice
    if not both.training:
        return
    kinds = ", ".join(sorted(set(both.kinds)))
    differ = [f"{name} {both.figures[name]:.4g} and {both.second[name]:.4g}" for name in differing_figures(both)]
    yield Finding(
        where=both.training[0],
        message=f"{len(both.training)} modules ({kinds}) are in train mode during evaluate, expected 0"
        + (f"; two evaluations of the same weights give {'; '.join(differ[:2])}" if differ else ""),
        fix="call model.eval() at the start of evaluate and model.train() afterwards",
        measured={"modules": len(both.training), "differ": len(differ)},
    )
