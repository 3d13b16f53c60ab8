from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.environment.types import Devices


@probe(id="ENV007", stage=Stage.ENVIRONMENT, severity=Severity.ERROR)
def device_is_absent(devices: Devices) -> Iterator[Finding]:
    """The run names a device that torch does not see: it will not start, or runs on the CPU without a word."""
    for source, name in devices.named:
        kind, _, number = name.partition(":")
        wanted = f"{kind}:{number or 0}" if kind != "cpu" else "cpu"
        if wanted not in devices.present:
            yield Finding(
                where=source,
                message=f"{name} is named, torch {devices.torch} sees {', '.join(devices.present)}",
                fix="run where the device is, with a torch that was built for it; or name a device that is there",
                measured={"named": name, "present": ", ".join(devices.present)},
            )
