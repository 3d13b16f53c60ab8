from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.two_tasks import scored_rows, two_tasks


@fault("a batch of two tasks lacks rows of the second", "LAB029", lambda f: len(scored_rows(f)) == 3, SEQUENCES)
def halves_of_two_sizes(facts: Facts) -> Facts:
    return two_tasks(facts, fewer=1)
