"""A check of one team: a model that does not fit the device that it is meant for."""

from typing import Any

from diagnose import Finding, Findings, Severity, Stage, probe

MOST = 50_000_000  # values; what our device holds beside its other programs


@probe(id="PAR901", stage=Stage.PARAMETERS, severity=Severity.ERROR)
def model_exceeds_device(model: Any) -> Findings:
    """The model has more values than the device that it is meant for can hold."""
    size = sum(parameter.numel() for parameter in model.parameters())
    if size > MOST:
        yield Finding(
            where="model",
            message=f"it has {size:,} values, expected {MOST:,} at most",
            fix="use the small configuration, or raise MOST in house_rules.py",
            measured={"values": size},
        )
