from diagnose import fault
from probes.faults.kit.changes import SPEECH, Facts
from probes.faults.kit.item_changes import is_noisy, with_noise


@fault(
    "the dataset holds a numpy generator, which every worker copies", "DAT045", lambda f: is_noisy(f, workers=2), SPEECH
)
def generator_copied(facts: Facts) -> Facts:
    return with_noise(facts, workers=2)
