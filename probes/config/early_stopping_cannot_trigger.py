from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import EventCount, RunSettings
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG016", stage=Stage.CONFIG, severity=Severity.WARNING)
def early_stopping_cannot_trigger(run_settings: RunSettings, evaluation_count: EventCount) -> Findings:
    """Early stopping cannot trigger: the run has too few evaluations for its patience."""
    patience, count = run_settings.patience, evaluation_count.count
    # The first evaluation is the best so far; after it, `patience` more without a better one stop the run.
    if patience and run_settings.eval_strategy != "no" and count <= patience:
        yield setting_finding(
            run_settings.place("patience"),
            f"the patience is {patience} evaluations, but the run has only {count}",
            f"set it to {max(1, count // 2)}, or evaluate more often",
            patience=patience,
            evaluations=count,
        )
