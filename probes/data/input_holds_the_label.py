from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.pairing.types import LabelColumns

SHOWN = 3


@probe(id="DAT058", stage=Stage.DATA, severity=Severity.WARNING)
def input_holds_the_label(label_columns: LabelColumns) -> Findings:
    """A feature of the inputs is the label itself: label leakage, so the model need not learn anything else."""
    found = label_columns
    # Where most columns hold it, the inputs were made of the label, as in a task for trying things out.
    if not found.columns or len(found.columns) > found.width / 2:
        return
    names = ", ".join(map(str, found.columns[:SHOWN])) + (", …" if len(found.columns) > SHOWN else "")
    what = f"one value for each of {found.classes} classes" if found.classes else "the label, scaled and moved"
    yield Finding(
        where=f"column {names} of the inputs",
        message=f"in all {found.rows} rows that were read it holds {what}; {found.width} columns vary, expected none "
        "from which the label can be read",
        fix="remove the column from the inputs, and look for what else is known only with the label",
        measured={"columns": len(found.columns), "rows": found.rows, "classes": found.classes},
    )
