from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.placement.types import DtypeMismatch


@probe(
    id="PLC003", stage=Stage.PLACEMENT, severity=Severity.ERROR, explains=("PLC002", "PLC004", "LAB*", "LOS*", "GRD*")
)
def dtypes_differ_between_layers(dtype_mismatches: tuple[DtypeMismatch, ...], precision: str = "fp32") -> Findings:
    """Parameters of one module or of one stack of layers have different dtypes."""
    rows = sorted(dtype_mismatches, key=lambda row: not row.within)
    if rows:
        row = rows[0]
        where = "in the same module" if row.within else "in its other layers"
        milder = Severity.WARNING if precision == "fp32" else Severity.NOTE  # autocast makes one type of them
        yield Finding(
            where=row.module,
            message=f"{row.kind} has {row.found}, expected {row.others} as {where}; {len(rows)} modules are affected",
            fix="convert the whole model at once, with model.to(torch.float32)",
            measured={"modules": len(rows)},
            severity=None if row.within else milder,
        )
