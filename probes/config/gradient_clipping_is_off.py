from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import RunSettings
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG022", stage=Stage.CONFIG, severity=Severity.NOTE)
def gradient_clipping_is_off(run_settings: RunSettings) -> Findings:
    """Gradient clipping is off, so one extreme batch can destroy the weights."""
    if run_settings.clipping != 0.0 or "adafactor" in run_settings.optimizer:  # Adafactor clips its own updates
        return
    yield setting_finding(
        run_settings.place("clipping"),
        "it is 0: the gradient norm is not limited, expected a limit such as 1.0",
        "set max_grad_norm to 1.0, unless the gradient norm stayed small in earlier runs",
    )
