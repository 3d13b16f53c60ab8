from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts
from probes.faults.kit.model_parts import head_of

STD = 15.0


@fault(
    "the output layer is drawn with a standard deviation of 15",
    "LOS025",
    lambda facts: float(head_of(facts).weight.std()) > STD / 2,
    CLASSIFIER,
)
def head_drawn_wide(facts: Facts) -> Facts:
    from torch.nn.init import normal_

    normal_(head_of(facts).weight, std=STD)
    return facts
