from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.item_changes import tensors_of, with_classes


@fault("class labels are one-hot vectors", "DAT042", lambda f: tensors_of(f)[1].dim() == 2, CLASSIFIER)
def classes_one_hot(facts: Facts) -> Facts:
    import torch

    return with_classes(facts, torch.eye(5, dtype=torch.long)[tensors_of(facts)[1]])
