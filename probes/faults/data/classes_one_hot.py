from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.class_changes import CLASSIFIER, sets_of, with_classes


@fault("class labels are one-hot vectors", "DAT042", lambda f: sets_of(f)[1].dim() == 2, CLASSIFIER)
def classes_one_hot(facts: Facts) -> Facts:
    import torch

    return with_classes(facts, torch.eye(5, dtype=torch.long)[sets_of(facts)[1]])
