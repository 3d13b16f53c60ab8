from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, samples, with_samples


def _opposed(clip: Any) -> Any:
    import numpy as np

    return np.stack([clip, -clip], axis=1)


@fault(
    "one channel is the other upside down",
    "DAT013",
    in_corpus(lambda f: samples(f).shape[1] == 2 and bool(samples(f)[:, 0].any())),
    SPEECH,
)
def channels_opposed(facts: Facts) -> Facts:
    return with_samples(facts, _opposed)
