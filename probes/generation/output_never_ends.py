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
        message=f"no EOS token within {pretrained_generation.limit} tokens in any of {len(rows)} rows; the labels end "
        f"after at most {longest}",
        fix="check that the training labels ended with the EOS token that generation uses",
        measured={"tokens": pretrained_generation.limit, "labels": longest},
    )
