from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import SeedSetting
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG017", stage=Stage.CONFIG, severity=Severity.WARNING)
def seed_is_unset(seed_setting: SeedSetting) -> Findings:
    """No random seed is set, so the run cannot be reproduced."""
    if seed_setting.seed is None:
        yield setting_finding(
            seed_setting.place,
            "it is set to nothing" if seed_setting.written else "nothing in the arguments sets it",
            "set a seed, and seed python, numpy and torch with it before the model is built",
            None if seed_setting.written else Severity.NOTE,
        )
