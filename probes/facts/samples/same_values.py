"""Whether two draws of a row differ."""

import numpy as np

from probes.facts.samples.types import Sample

ROUNDING = 1e-6  # of float32: another draw that differs by less is the same


def differs(one: Sample, other: Sample) -> bool:
    """Over the part that both have: alone in its batch a row has less padding."""
    for name in one.values.keys() & other.values.keys():
        a, b = one.values[name], other.values[name]
        both = tuple(slice(min(sizes)) for sizes in zip(a.shape, b.shape, strict=True))
        if np.abs(a[both] - b[both]).max(initial=0.0) > ROUNDING * max(1.0, np.abs(a).max(initial=0.0)):
            return True
    return False
