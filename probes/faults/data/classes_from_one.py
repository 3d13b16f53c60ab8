from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.class_changes import CLASSIFIER, sets_of, with_classes


@fault("class labels count from one", "DAT043", lambda f: int(sets_of(f)[1].min()) == 1, CLASSIFIER)
def classes_from_one(facts: Facts) -> Facts:
    return with_classes(facts, sets_of(facts)[1] + 1)
