from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.item_changes import tensors_of, with_classes


@fault("class labels count from one", "DAT043", lambda f: int(tensors_of(f)[1].min()) == 1, CLASSIFIER)
def classes_from_one(facts: Facts) -> Facts:
    return with_classes(facts, tensors_of(facts)[1] + 1)
