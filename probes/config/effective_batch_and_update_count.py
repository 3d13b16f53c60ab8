from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import RunSettings, UpdateCount
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG021", stage=Stage.CONFIG, severity=Severity.NOTE)
def effective_batch_and_update_count(run_settings: RunSettings, update_count: UpdateCount) -> Findings:
    """The effective batch size or the number of updates is derived from several settings."""
    settings, plan = run_settings, update_count
    written = plan.rows_per_update == settings.batch_size and (settings.max_steps or 0) > 0
    if plan.rows_per_update is None or written:
        return
    factors = [
        f"{settings.batch_size} per device",
        f"{settings.accumulation or 1} accumulation steps",
        f"{settings.processes} process{'es' if settings.processes > 1 else ''}",
        *([f"{settings.rows_per_item} tasks"] if settings.rows_per_item > 1 else []),
    ]
    epochs = f", {plan.epochs:.1f} epochs of {plan.updates_per_epoch:,} updates" if plan.epochs else ""
    yield setting_finding(
        settings.place("batch_size"),
        f"{plan.updates:,} updates{epochs}, each of {plan.rows_per_update} rows ({' × '.join(factors)})",
        "choose the learning rate and the warmup for these numbers",
        updates=plan.updates,
        rows=plan.rows_per_update,
    )
