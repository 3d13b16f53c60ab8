from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts, batch_of
from probes.faults.kit.forward_changes import hook_output


def _draws_in_eval_mode(facts: Facts) -> bool:
    import torch

    model, x = facts["model"], batch_of(facts)[0]
    before = model.training
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        same = torch.equal(model.eval()(x), model(x))
    model.train(before)
    return not same


@fault("F.dropout is called without training=, and drops in evaluation too", "LOS024", _draws_in_eval_mode, CLASSIFIER)
def dropout_never_off(facts: Facts) -> Facts:
    from torch.nn.functional import dropout

    hook_output(facts["model"][2], lambda hidden: dropout(hidden, 0.1))
    return facts
