from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import EventCount, RunSettings
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG015", stage=Stage.CONFIG, severity=Severity.NOTE)
def early_stopping_is_absent(run_settings: RunSettings, evaluation_count: EventCount) -> Findings:
    """Early stopping is not configured, so the run continues even when evaluation gets worse."""
    if not run_settings.patience_known or run_settings.patience or evaluation_count.count < 2:
        return
    kept = "the best checkpoint is kept" if run_settings.load_best else "the last checkpoint is kept, even if worse"
    yield setting_finding(
        run_settings.place("patience"),
        f"not set: {evaluation_count.count} evaluations, {kept}",
        "set early_stopping_patience (with transformers: EarlyStoppingCallback) to 3 or more evaluations",
        evaluations=evaluation_count.count,
    )
