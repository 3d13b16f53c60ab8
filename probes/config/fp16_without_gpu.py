from diagnose import Findings, Severity, Stage, probe
from probes.facts.settings.types import SettingLocation
from probes.reporting.setting_finding import setting_finding


@probe(id="CFG019", stage=Stage.CONFIG, severity=Severity.WARNING)
def fp16_without_gpu(fp16_setting: SettingLocation, present_devices: tuple[str, ...]) -> Findings:
    """fp16 is enabled without a GPU: most trainers then silently train in fp32."""
    if present_devices == ("cpu",):
        yield setting_finding(
            fp16_setting,
            "torch finds no GPU; on the CPU the run uses fp32, or overflows earlier than on a GPU",
            "set fp16 to false here; this run cannot test fp16",
        )
