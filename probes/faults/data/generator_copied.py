from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.corpus_changes import SPEECH
from probes.faults.kit.item_changes import audio_of, with_noise


@fault(
    "the dataset holds a numpy generator, which every worker copies",
    "DAT045",
    lambda f: getattr(f["train_batches"], "num_workers", 0) == 2 and (audio_of(f) != audio_of(f)).any(),
    SPEECH,
)
def generator_copied(facts: Facts) -> Facts:
    return with_noise(facts, 2)
