from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.splits.types import NearDuplicates

MANY = 0.5  # of the texts: then most of the corpus is a few sentences with small changes


@probe(id="DAT034", stage=Stage.DATA, severity=Severity.NOTE)
def texts_are_near_duplicates(near_duplicate_texts: NearDuplicates) -> Findings:
    """Most training texts are near-duplicates of texts from other recordings."""
    share = near_duplicate_texts.train_near / near_duplicate_texts.train_read
    if share > MANY:
        row, other, likeness = near_duplicate_texts.train_pairs[0]
        yield Finding(
            where=row.where,
            message=f"{share:.0%} of {near_duplicate_texts.train_read} training texts have a near-duplicate in "
            f"another recording, such as {other.where} ({likeness:.0%} similar)",
            fix="no action if the corpus is made from templates; otherwise look for copies",
            measured={"share": share, "read": near_duplicate_texts.train_read},
        )
