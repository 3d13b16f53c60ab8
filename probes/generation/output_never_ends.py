from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.types import FreeGeneration


@probe(id="GEN009", stage=Stage.GENERATION, severity=Severity.WARNING, explains=("GEN010",))
def output_never_ends(pretrained_generation: FreeGeneration) -> Findings:
    """A trained model generates no EOS token within twice the length of the labels."""
    rows = [row for row in pretrained_generation.rows if not row.ended]
    if not pretrained_generation.cut or not rows or len(rows) < len(pretrained_generation.rows):
        return  # one row that runs on is an outlier; all of them are a habit
    longest = max(len(row.labels) for row in rows)
    yield Finding(
        where=rows[0].where,
        message=f"no end token in {pretrained_generation.limit} tokens of any of {len(rows)} rows; the labels end "
        f"after {longest} at most",
        fix="check that the labels of the earlier training ended with the end token that generation waits for",
        measured={"tokens": pretrained_generation.limit, "labels": longest},
    )
