from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.generation.types import EvaluationPair


@probe(id="GEN012", stage=Stage.GENERATION, severity=Severity.ERROR, explains=("GEN013",))
def evaluation_runs_in_train_mode(evaluation_twice: EvaluationPair) -> Iterator[Finding]:
    """Evaluation runs in train mode: model.eval() is never called, so metrics change from run to run."""
    if not evaluation_twice.training:
        return
    kinds = ", ".join(sorted(set(evaluation_twice.kinds)))
    differ = [
        f"{name} {evaluation_twice.figures[name]:.4g} and {evaluation_twice.again[name]:.4g}"
        for name in evaluation_twice.differ
    ]
    yield Finding(
        where=evaluation_twice.training[0],
        message=(
            f"{len(evaluation_twice.training)} modules ({kinds}) were in training mode while evaluate ran, expected 0"
        )
        + (f"; twice from the same weights it gave {'; '.join(differ[:2])}" if differ else ""),
        fix="call model.eval() at the beginning of evaluate, and model.train() when training goes on",
        measured={"modules": len(evaluation_twice.training), "differ": len(differ)},
    )
