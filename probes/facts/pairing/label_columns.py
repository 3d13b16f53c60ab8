"""Finds the columns of a table of features that hold the label itself."""

import numpy as np

from probes.facts.pairing.count_features import WAVE, Values
from probes.facts.pairing.types import LabelColumns

EACH = 10  # rows of each class, on average
ROUNDING = 1e-5  # of the label's deviation, as float32 leaves; what is measured again a moment later differs by more


def find_label_columns(inputs: Values, targets: Values) -> LabelColumns | None:
    """None where the inputs are no vectors of one length, or the label is more than one number."""
    first = inputs[0]
    if first.dtype.kind != "f" or first.ndim != 1 or len({len(one) for one in inputs}) > 1 or len(first) >= WAVE:
        return None
    if any(target.size != 1 for target in targets):
        return None
    x, y = np.stack(inputs).astype(float), np.array([target.reshape(-1)[0] for target in targets])
    varying = np.flatnonzero(x.std(0) > 0)
    if len(varying) < 2 or not np.isfinite(x).all():
        return None
    is_class = y.dtype.kind in "iu"
    held = _classes(x[:, varying], y) if is_class else _numbers(x[:, varying], y.astype(float))
    classes = len(set(y.tolist())) if is_class else 0
    return LabelColumns(tuple(int(varying[place]) for place in held), len(varying), len(y), classes)


def _classes(x: np.ndarray, y: np.ndarray) -> list[int]:
    """One value for each class; or as many columns as classes, each of which tells one class from all others."""
    kinds, numbers = np.unique(y, return_inverse=True)
    if len(kinds) < 2 or len(y) < EACH * len(kinds) or np.bincount(numbers).min() < 2:
        return []
    values = np.stack([x[numbers == kind][0] for kind in range(len(kinds))])
    steady = [place for place in range(x.shape[1]) if (x[:, place] == values[numbers, place]).all()]
    whole = [place for place in steady if len(set(values[:, place])) == len(kinds)]
    ones = {place: kind for place in steady for kind in _lone(values[:, place])}
    return sorted({*whole, *(ones if len(set(ones.values())) >= len(kinds) - 1 else ())})


def _lone(values: np.ndarray) -> list[int]:
    """The one class whose value differs from that of all others."""
    found = [kind for kind in range(len(values)) if len(set(np.delete(values, kind))) == 1]
    return found if len(found) == 1 else []


def _numbers(x: np.ndarray, y: np.ndarray) -> list[int]:
    if y.std() == 0 or not np.isfinite(y).all():
        return []
    centred, label = (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()
    slopes = label @ centred / len(label)
    return np.flatnonzero((label[:, None] - slopes * centred).std(0) < ROUNDING).tolist()
