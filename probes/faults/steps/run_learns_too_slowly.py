from diagnose import fault
from probes.faults.kit.changes import CLASSIFIER, Facts

STEPS = 120


def _is_slow(facts: Facts) -> bool:
    ends = [facts[name].rows[-1].loss for name in ("records", "reference_records") if name in facts]
    return len(ends) == 2 and ends[0] > 1.3 * ends[1]


@fault("the learning rate is a hundredth of that of the reference run", "STP027", _is_slow, CLASSIFIER)
def run_learns_too_slowly(facts: Facts) -> Facts:
    from probes.subjects.short_run import LoopVariant, short_run

    reference = short_run(facts, LoopVariant(steps=STEPS))
    slow = short_run(facts, LoopVariant(steps=STEPS, rate=lambda step: 0.01))
    return {**facts, "records": slow, "reference_records": reference}
