from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.placement.types import Placement, TensorPlacement

EFFECTS = ("PAR*", "PLC*", "LAB*", "MEM*", "LOS*", "GRD*", "PRE*", "LRN*", "GEN*")


@probe(id="PLC001", stage=Stage.PLACEMENT, severity=Severity.ERROR, explains=EFFECTS)
def modules_are_on_different_devices(placement: Placement) -> Findings:
    """Parameters, buffers or the batch are on different devices, or on the meta device."""
    empty = [row for row in placement.rows if row.device == "meta"]
    if empty:
        yield Finding(
            where=empty[0].name,
            message=f"this {empty[0].owner} is on the meta device and has no values; {len(empty)} of "
            f"{len(placement.rows)} tensors are affected",
            fix="load the weights, or build the model outside torch.device('meta')",
            measured={"meta": len(empty)},
        )
        return
    parts = placement.of("parameter", "buffer")
    devices = [row.device for row in parts]
    usual = max(set(devices), key=devices.count, default="")
    odd = [row for row in parts if row.device != usual]
    if odd and not placement.spread:
        yield _apart(odd[0], usual, len(odd), None if _within(odd[0], parts) else Severity.WARNING)
    strays = [row for row in placement.of("batch") if row.device != usual]
    if strays and parts and not odd and not placement.batch_is_moved:
        yield _apart(strays[0], usual, len(strays), Severity.NOTE)


def _within(odd: TensorPlacement, parts: tuple[TensorPlacement, ...]) -> bool:
    """In one module: its tensors meet in one operation, whoever moves inputs between modules."""
    return any(row.module == odd.module and row.device != odd.device for row in parts)


def _apart(odd: TensorPlacement, usual: str, count: int, severity: Severity | None) -> Finding:
    return Finding(
        where=odd.name,
        message=f"this {odd.owner} is on {odd.device}, expected {usual} as the rest of the model ({count} tensors)",
        fix=f"move model and batch to {usual} before creating the optimizer",
        measured={"tensors": count},
        severity=severity,
    )
