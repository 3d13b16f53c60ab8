from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import EventCount, RunSettings, UpdateCount
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG014", stage=Stage.CONFIG, severity=Severity.NOTE)
def saving_never_happens(
    checkpoint_count: EventCount, run_settings: RunSettings, update_count: UpdateCount
) -> Findings:
    """No checkpoint is saved before the end of training, so an interrupted run is lost."""
    if checkpoint_count.count:
        return
    if run_settings.save_strategy == "no":
        yield setting_finding(
            run_settings.place("save_strategy"), "it is no: no checkpoint is saved", "set it to steps"
        )
        return
    yield setting_finding(
        run_settings.place("save_steps"),
        f"one checkpoint every {checkpoint_count.every or 0:,.0f} updates, but the run has {update_count.updates:,}: "
        f"{'only the final one is saved' if checkpoint_count.once_more_at_end else 'none is saved'}",
        f"set save_steps to {max(1, update_count.updates // 4)} or less",
        updates=update_count.updates,
        every=checkpoint_count.every,
    )
