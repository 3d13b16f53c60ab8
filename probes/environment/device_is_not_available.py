from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.environment.types import Devices


@probe(id="ENV007", stage=Stage.ENVIRONMENT, severity=Severity.ERROR)
def device_is_not_available(devices: Devices) -> Findings:
    """The requested device is not available to torch."""
    for source, name in devices.named:
        kind, _, number = name.partition(":")
        wanted = f"{kind}:{number or 0}" if kind != "cpu" else "cpu"
        if wanted not in devices.present:
            yield Finding(
                where=source,
                message=f"{name} is requested, but torch {devices.torch} finds {', '.join(devices.present)}",
                fix="install a torch build for this device, or choose a device that is available",
                measured={"named": name, "present": ", ".join(devices.present)},
            )
