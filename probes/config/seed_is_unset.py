from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import SeedSetting
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG017", stage=Stage.CONFIG, severity=Severity.WARNING)
def seed_is_unset(seed_setting: SeedSetting) -> Findings:
    """No random seed is set, so the run cannot be reproduced."""
    if seed_setting.seed is None:
        yield setting_finding(
            seed_setting.place,
            "it is None" if seed_setting.written else "no argument sets it",
            "set a seed, and call set_seed(seed) before the model is built",
            None if seed_setting.written else Severity.NOTE,
        )
