from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import RunSettings
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG008", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("CFG007", "CFG013", "CFG016"))
def best_model_settings_conflict(run_settings: RunSettings) -> Findings:
    """Evaluation, saving or metric settings conflict with load_best_model_at_end or early stopping."""
    settings = run_settings
    evaluated, saved = settings.eval_strategy, settings.save_strategy
    if settings.patience and (evaluated == "no" or settings.metric is None):
        said = "evaluation is off" if evaluated == "no" else "metric_for_best_model is not set"
        yield setting_finding(
            settings.place("patience"), f"early stopping is on, but {said}", "set eval_strategy and a metric"
        )
    if not settings.load_best or saved == "best" or None in (evaluated, saved):
        return
    if evaluated != saved:
        said = f"eval_strategy is {evaluated}, save_strategy is {saved}; load_best_model_at_end needs the same steps"
        yield setting_finding(
            settings.place("load_best"), said, f"set save_strategy to {'steps' if evaluated == 'no' else evaluated}"
        )
    elif evaluated == "steps" and _apart(settings.save_steps, settings.eval_steps):
        said = f"save_steps {settings.save_steps:g} is not a multiple of eval_steps {settings.eval_steps:g}"
        yield setting_finding(
            settings.place("save_steps"),
            f"{said}; load_best_model_at_end requires it",
            "set save_steps to a multiple of eval_steps",
        )


def _apart(saved: float | None, evaluated: float | None) -> bool:
    """Shares of the run are compared in millionths, as transformers does."""
    if not saved or not evaluated:
        return False
    scale = 1_000_000 if saved < 1 or evaluated < 1 else 1
    return round(saved * scale) % round(evaluated * scale) != 0
