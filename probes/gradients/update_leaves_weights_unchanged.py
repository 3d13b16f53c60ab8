from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.first_step.types import Gradients
from probes.reporting.first_names import first_names

# Of what has a gradient and is in the optimiser: a small part at a rate of 0 may be meant to rest.
LARGE = 0.1


@probe(id="GRD011", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("LRN*", "GEN*"))
def update_leaves_weights_unchanged(first_gradients: Gradients) -> Findings:
    """The optimizer update leaves parameters that have a gradient unchanged."""
    rows = [row for row in first_gradients.rows if row.norm and row.finite and row.moved is not None]
    none = not any(row.moved for row in rows)
    still = [row for row in rows if not row.moved and (none or row.rate == 0.0)]
    share = sum(row.size for row in still) / max(sum(row.size for row in rows), 1)
    if not still:
        return
    still.sort(key=lambda row: -row.size)
    names = first_names([row.name for row in still], 4)
    yield Finding(
        where=still[0].name,
        message=f"{len(still)} of {len(rows)} tensors with a gradient ({share:.1%}) are bit-identical after an update "
        f"(maximum learning rate {still[0].rate or 0.0:.2g}), expected all to change: {names}",
        fix="set a learning rate above 0 for their parameter group, and check that optimizer.step() updates its "
        "parameters",
        measured={"still": len(still), "of": len(rows), "share": share, "rate": still[0].rate},
        severity=None if none else Severity.WARNING if share >= LARGE else Severity.NOTE,
    )
