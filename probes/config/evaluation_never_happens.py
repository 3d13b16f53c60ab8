from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import EventCount, RunSettings, UpdateCount
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG013", stage=Stage.CONFIG, severity=Severity.WARNING, explains=("CFG016",))
def evaluation_never_happens(
    evaluation_count: EventCount, run_settings: RunSettings, update_count: UpdateCount
) -> Findings:
    """The model is never evaluated before the end of training, so no best checkpoint can be selected."""
    if evaluation_count.count:
        return
    wanted = run_settings.load_best or run_settings.patience
    severity = None if wanted else Severity.NOTE
    if run_settings.eval_strategy == "no":
        yield setting_finding(
            run_settings.place("eval_strategy"), "it is no: evaluation is off", "set it to steps", severity
        )
        return
    said = f"one evaluation every {evaluation_count.every or 0:,.0f} updates, but the run has {update_count.updates:,}"
    end = "the only evaluation is at the end" if evaluation_count.once_more_at_end else "it is never evaluated"
    hope = "; load_best_model_at_end has one checkpoint to choose from" if run_settings.load_best else ""
    yield setting_finding(
        run_settings.place("eval_steps"),
        f"{said}: {end}{hope}",
        f"set eval_steps to {max(1, update_count.updates // 4)} or less",
        severity,
        updates=update_count.updates,
        every=evaluation_count.every,
    )
