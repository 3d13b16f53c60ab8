from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts, loader, with_dataset
from probes.faults.kit.item_changes import tensors_of


def _of_all(facts: Facts) -> bool:
    """Together they have a mean of 0 and a deviation of 1, which training alone has not."""
    import torch

    if "eval_dataset" not in facts:
        return False
    train, evaluation = (facts[f"{name}_dataset"].tensors[0] for name in ("train", "eval"))
    means = [float(x.mean(0).abs().max()) for x in (torch.cat([train, evaluation]), train)]
    return means[0] < 1e-5 < means[1]


@fault("mean and scale were fitted on training and evaluation together", "DAT048", _of_all, CLASSIFIER)
def statistics_of_all(facts: Facts) -> Facts:
    from torch.utils.data import TensorDataset

    x, y = tensors_of(facts)
    x = (x - x.mean(0)) / x.std(0, correction=0)
    train, evaluation = TensorDataset(x[:40], y[:40]), TensorDataset(x[40:], y[40:])
    more = {"eval_dataset": evaluation, "eval_batches": loader(facts, evaluation)}
    return {**with_dataset(facts, train), **more}
