from typing import Any

from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts, eval_rows, loader, with_dataset
from probes.faults.kit.item_changes import tensors_of

COLUMN = 3


def _holds(facts: Facts) -> bool:
    x, y = tensors_of(facts)
    return bool((x[:, COLUMN] == y - 2).all())


def _leaked(tensors: tuple[Any, Any]) -> Any:
    from torch.utils.data import TensorDataset

    x, y = tensors[0].clone(), tensors[1]
    x[:, COLUMN] = (y - 2).to(x.dtype)
    return TensorDataset(x, y)


@fault("a column of the features holds the class", "DAT058", _holds, CLASSIFIER)
def label_among_the_features(facts: Facts) -> Facts:
    broken = with_dataset(facts, _leaked(tensors_of(facts)))
    return {**broken, "eval_batches": loader(facts, _leaked(eval_rows(facts).tensors), shuffle=False)}
