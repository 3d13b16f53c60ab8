from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.classes.types import ClassLabels

SURE = 1e-4  # chance that class 0 is there and was not met


@probe(id="DAT043", stage=Stage.DATA, severity=Severity.ERROR, explains=("LOS003", "LAB015"))
def class_labels_are_one_based(class_labels: ClassLabels) -> Findings:
    """Class labels are one-based, but cross-entropy expects classes starting at 0."""
    numbers = sorted(class_labels.counts)
    classes = len(numbers)
    if class_labels.width or classes < 2 or numbers != list(range(1, classes + 1)):
        return
    if class_labels.read < class_labels.total and (1 - 1 / (classes + 1)) ** class_labels.read > SURE:
        return
    head, name = class_labels.head, class_labels.head_name or "the last layer"
    room = f"{name} has {head} outputs" if head else "the number of outputs is unknown"
    yield Finding(
        where="the training labels",
        message=f"the labels range from 1 to {classes}, and {room}; expected 0 to {classes - 1}",
        fix="subtract 1 from the labels",
        measured={"lowest": 1, "highest": classes, "outputs": head},
        severity=None if head == classes else Severity.WARNING if head is None else Severity.NOTE,
    )
