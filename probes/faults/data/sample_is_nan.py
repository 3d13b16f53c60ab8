from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, samples, with_samples


def _one_nan(clip: Any) -> Any:
    clip[100] = float("nan")
    return clip


@fault("a float file holds a NaN", "DAT008", in_corpus(lambda f: samples(f)[100] != samples(f)[100]), SPEECH)
def sample_is_nan(facts: Facts) -> Facts:
    return with_samples(facts, _one_nan, subtype="FLOAT")
