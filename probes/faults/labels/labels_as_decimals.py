from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts, first_labels, with_labels


@fault("labels are float32", "LAB030", lambda f: first_labels(f).is_floating_point(), SEQUENCES)
def labels_as_decimals(facts: Facts) -> Facts:
    return with_labels(facts, lambda labels: labels.float())
