from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.influence.types import InputInfluence, UnusedPart

# Of an axis. A convolution or a patch embedding leaves the last positions out, less than one stride of them.
EDGE = 0.25


@probe(id="LOS022", stage=Stage.LOSS, severity=Severity.WARNING, explains=("GRD002", "LRN003"))
def input_positions_have_no_influence(input_influence: InputInfluence) -> Findings:
    """Features or time steps of an input change neither the model's output nor its loss."""
    for part in input_influence.parts:
        if part.share > EDGE:
            yield _finding(part, input_influence.library)


def _finding(part: UnusedPart, library: str) -> Finding:
    kind = "features" if part.axis == len(part.shape) - 1 else "time steps or positions"
    size = part.shape[part.axis]
    return Finding(
        where=part.name,
        message=f"{kind} {part.first} to {part.last} of {size} (axis {part.axis + 1}) of {part.name} have no "
        "influence: other values change neither output nor loss",
        fix="look for a slice, a split or an index that drops them, or a variable that is used twice",
        measured={"first": part.first, "last": part.last, "size": size},
        severity=Severity.NOTE if library else None,
    )
