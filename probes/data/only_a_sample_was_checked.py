from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.corpus.types import Corpus


@probe(id="DAT052", stage=Stage.DATA, severity=Severity.NOTE)
def only_a_sample_was_checked(sampled_rows: Corpus) -> Findings:
    """Only a sample of the dataset rows was decoded and checked."""
    seen, total = len(sampled_rows.rows), sampled_rows.total
    if seen < total:
        yield Finding(
            where="training and evaluation rows",
            message=f"{seen:,} of {total:,} rows were decoded, including the longest and the shortest",
            fix="check all rows with `diagnose data`",
            measured={"seen": seen, "rows": total},
        )
