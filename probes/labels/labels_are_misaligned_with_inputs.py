from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.collation.types import CollatedSample

AFTER = ("LAB01[0468]", "LAB02[0-8]", "LOS015", "LRN*", "GEN*")


@probe(id="LAB034", stage=Stage.LABELS, severity=Severity.ERROR, explains=AFTER)
def labels_are_misaligned_with_inputs(collated_sample: CollatedSample) -> Findings:
    """Labels are misaligned with inputs: the collator pairs an input with another item's labels."""
    strays, items = collated_sample.alignment, collated_sample.items
    if strays.misaligned:
        number, heard, said = strays.misaligned[0]
        yield Finding(
            where=f"row {number} of a batch of {len(items)} items",
            message=f"its input is that of {items[heard].where}, its labels are those of {items[said].where}; so in "
            f"{len(strays.misaligned)} of {strays.matched} rows, expected in none",
            fix="order the items once, before inputs and labels are made of them",
            measured={"rows": len(strays.misaligned), "of": strays.matched},
        )
