from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.influence.types import RowInfluence

# Of the outputs' spread. The same kernels on the same shapes give the same bits for a row that was not changed.
LEAST, ROUNDINGS = 1e-4, 100


@probe(
    id="LOS020",
    stage=Stage.LOSS,
    severity=Severity.ERROR,
    explains=("LOS00[4-7]", "LOS011", "LAB02[0-4]", "GRD00[12]", "LRN*", "GEN*"),
)
def output_depends_on_other_rows(row_influence: RowInfluence) -> Findings:
    """The model output for a row depends on the other rows of its batch, even in eval mode."""
    found = row_influence
    if found.change <= max(LEAST, ROUNDINGS * found.eps):
        return
    norm = "BatchNorm" in found.kind
    place = f"; they differ first in {found.module} ({found.kind})" if found.module else ""
    yield Finding(
        where=found.module or "the model",
        message="rows influence each other in eval mode: other inputs in the first row change the outputs of "
        f"{found.changed} of {found.rows - 1} other rows by {found.change:.2g} standard deviations, expected 0{place}",
        fix="use running statistics in eval mode (track_running_stats=True)"
        if norm
        else "check batch_first, view or reshape instead of transpose, and softmax or normalization over dim 0",
        measured={"rows": found.rows - 1, "changed": found.changed, "change": found.change},
        severity=Severity.NOTE if norm else None if found.labelled else Severity.WARNING,
    )
