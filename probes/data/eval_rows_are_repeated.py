from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.splits.types import RepeatedRows


@probe(id="DAT057", stage=Stage.DATA, severity=Severity.WARNING)
def eval_rows_are_repeated(eval_repeats: RepeatedRows) -> Findings:
    """Evaluation rows are repeated, so metrics count them more than once."""
    found = eval_repeats
    if found.repeated:
        yield Finding(
            where="eval_batches",
            message=f"{found.repeated} of {found.rows} rows that were drawn repeat an earlier one, such as "
            f"{found.first}, expected each row once",
            fix="evaluate every row once: no sampler that fills up, no set joined to itself; with several processes "
            "use accelerate's gather_for_metrics",
            measured={"repeated": found.repeated, "rows": found.rows},
        )
