from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.classes.types import ClassLabels


@probe(id="DAT042", stage=Stage.DATA, severity=Severity.WARNING, explains=("LOS003",))
def class_labels_are_one_hot(class_labels: ClassLabels) -> Findings:
    """Class labels are one-hot vectors, but cross-entropy and accuracy expect class indices."""
    if class_labels.one_hot == class_labels.read and class_labels.width:
        yield Finding(
            where="the training labels",
            message=f"all {class_labels.read:,} labels are one-hot vectors of length {class_labels.width}, expected "
            "class indices",
            fix="convert them to class indices: label.argmax(-1)",
            measured={"width": class_labels.width, "items": class_labels.read},
            severity=None if class_labels.whole else Severity.NOTE,  # floats may be meant as probabilities
        )
