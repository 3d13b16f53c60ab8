from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.item_changes import tensors_of, with_classes


@fault("57 of 60 items are of one class", "DAT041", lambda f: int((tensors_of(f)[1] == 0).sum()) == 57, CLASSIFIER)
def one_class_rules(facts: Facts) -> Facts:
    import torch

    return with_classes(facts, (torch.arange(60) > 56).long())
