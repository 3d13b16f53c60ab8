from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts, batch_of


def _mask_is_silent(facts: Facts) -> bool:
    """Its forward takes a mask, and all zeros give the same output as all ones."""
    import inspect

    import torch

    model = facts["model"]
    if "mask" not in inspect.signature(model.forward).parameters:
        return False
    x = batch_of(facts)[0]
    before = model.training
    with torch.no_grad():
        same = torch.equal(model.eval()(x, torch.zeros_like(x)), model(x, torch.ones_like(x)))
    model.train(before)
    return same


@fault("forward takes a mask and does nothing with it", "LOS021", _mask_is_silent, CLASSIFIER)
def mask_not_read(facts: Facts) -> Facts:
    from probes.subjects.wrapped_models import Masked, masked_loss, with_model

    return with_model(facts, Masked(facts["model"]), compute_loss=masked_loss)
