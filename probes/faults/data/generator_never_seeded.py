from diagnose import fault
from probes.faults.kit.changes import SPEECH, Facts
from probes.faults.kit.item_changes import is_noisy, with_noise


@fault("the dataset's NumPy generator restarts in every epoch", "DAT046", lambda f: is_noisy(f, workers=1), SPEECH)
def generator_never_seeded(facts: Facts) -> Facts:
    return with_noise(facts, workers=1)
