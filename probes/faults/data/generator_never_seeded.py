from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH
from probes.faults.kit.item_changes import audio_of, with_noise


@fault(
    "the dataset's numpy generator starts anew in every epoch",
    "DAT046",
    lambda f: getattr(f["train_batches"], "num_workers", 0) == 1 and (audio_of(f) != audio_of(f)).any(),
    SPEECH,
)
def generator_never_seeded(facts: Facts) -> Facts:
    return with_noise(facts, 1)
