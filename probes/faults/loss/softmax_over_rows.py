from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts, batch_of
from probes.faults.kit.forward_changes import hook_output


def _rows_meet(facts: Facts) -> bool:
    """In eval mode the first row has another output when it stands beside others."""
    import torch

    model, x = facts["model"], batch_of(facts)[0]
    before = model.training
    with torch.no_grad():
        one, all_rows = model.eval()(x[:1]), model(x)
    model.train(before)
    return not torch.allclose(one[0], all_rows[0], atol=1e-3)


@fault("units are weighed by a softmax over the rows, not over the units", "LOS020", _rows_meet, CLASSIFIER)
def softmax_over_rows(facts: Facts) -> Facts:
    hook_output(facts["model"][2], lambda hidden: hidden * 4 * hidden.softmax(0))
    return facts
