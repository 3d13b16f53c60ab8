from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.model_parts import head_of

SHARE = 0.99


def _drops(facts: Facts) -> bool:
    return any(getattr(module, "p", 0.0) == SHARE for module in facts["model"].modules())


@fault(
    "a dropout before the head keeps one value in a hundred: the share to keep was given as the share to drop",
    "LRN009",
    _drops,
)
def dropout_of_nearly_all(facts: Facts) -> Facts:
    from torch.nn import Dropout

    head = head_of(facts)
    head.add_module("regulariser", Dropout(SHARE))
    head.register_forward_pre_hook(lambda module, inputs: (module.regulariser(inputs[0]), *inputs[1:]))
    return facts
