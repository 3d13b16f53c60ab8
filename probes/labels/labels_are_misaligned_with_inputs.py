from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.collation.types import CollatedSample

AFTER = ("LAB01[0468]", "LAB02[0-8]", "LOS015", "LOS017", "LRN*", "GEN*")


@probe(id="LAB034", stage=Stage.LABELS, severity=Severity.ERROR, explains=AFTER)
def labels_are_misaligned_with_inputs(collated_sample: CollatedSample) -> Findings:
    """Labels are misaligned with inputs: the collator pairs an input with another item's labels."""
    strays, items = collated_sample.alignment, collated_sample.items
    if strays.misaligned:
        number, heard, said = strays.misaligned[0]
        yield Finding(
            where=f"row {number} of a batch of {len(items)} items",
            message=f"its input is from {items[heard].where}, its labels are from {items[said].where}; "
            f"{len(strays.misaligned)} of {strays.matched} rows are affected, expected none",
            fix="sort or shuffle the items once, before inputs and labels are created",
            measured={"rows": len(strays.misaligned), "of": strays.matched},
        )
