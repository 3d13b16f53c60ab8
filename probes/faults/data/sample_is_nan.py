from typing import Any

from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import change_samples, corpus_fault, samples


def _one_nan(clip: Any) -> Any:
    clip[100] = float("nan")
    return clip


@corpus_fault("a float file holds a NaN", "DAT008", lambda f: samples(f)[100] != samples(f)[100])
def sample_is_nan(corpus: Facts) -> Facts:
    return change_samples(corpus, _one_nan, subtype="FLOAT")
