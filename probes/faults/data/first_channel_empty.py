from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH, in_corpus, samples, with_samples


def _left_empty(clip: Any) -> Any:
    import numpy as np

    return np.stack([0 * clip, clip], axis=1)


@fault(
    "the sound is in the second channel alone",
    "DAT013",
    in_corpus(lambda f: samples(f).shape[1] == 2 and not samples(f)[:, 0].any()),
    SPEECH,
)
def first_channel_empty(facts: Facts) -> Facts:
    return with_samples(facts, _left_empty)
