from diagnose import Finding, Findings, Severity, Stage, probe
from diagnose.engine.traits import Trait
from probes.facts.classes.types import ClassLabels

SHARE = 0.9  # then whoever always answers the largest class is right nine times in ten, and has learnt nothing

ENOUGH = 50  # labels: of two equal classes so many are the same with a chance of 2e-15


@probe(id="DAT041", stage=Stage.DATA, severity=Severity.WARNING)
def classes_are_imbalanced(class_labels: ClassLabels, labels_are_classes: Trait | None = None) -> Findings:
    """Classes are imbalanced: one class has nearly all items, so always predicting it looks good."""
    counts = class_labels.counts
    largest = max(counts, key=lambda name: counts[name])
    share = counts[largest] / class_labels.read
    if len(counts) == 1 and class_labels.read >= ENOUGH and labels_are_classes is not None and labels_are_classes.holds:
        yield Finding(
            where="the training labels",
            message=f"all {class_labels.read:,} labels that were read are {largest}, expected several classes",
            fix="read the label of each row: check the column's name and how its values are mapped to numbers",
            measured={"share": share, "classes": 1},
        )
    if len(counts) > 1 and share > SHARE:
        yield Finding(
            where="the training labels",
            message=f"class {largest} has {share:.1%} of {class_labels.read:,} items, the smallest of {len(counts)} "
            f"classes has {min(counts.values()):,}; always predicting {largest} is correct as often",
            fix="weight the loss by class or oversample the rare classes, and report per-class metrics (F1, recall)",
            measured={"share": share, "classes": len(counts), "smallest": min(counts.values())},
        )
