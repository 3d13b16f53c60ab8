from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import RunSettings
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG020", stage=Stage.CONFIG, severity=Severity.ERROR, explains=("CFG*",))
def number_is_a_string(run_settings: RunSettings) -> Findings:
    """A numeric setting is a string (YAML parses 1e-4 as a string), so the optimizer raises."""
    for setting, text in run_settings.texts.items():
        yield setting_finding(
            run_settings.place(setting),
            f"it is the string {text!r}, expected a number; YAML 1.1 requires a dot before the exponent",
            "write 1.0e-4 instead of 1e-4, or convert it with float() after loading the file",
            text=text,
        )
