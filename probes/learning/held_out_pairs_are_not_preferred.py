from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.pairing.types import PairTests, SwappedTargetLoss

UNRELATED = 0.01  # a chance above it shows nothing
LEARNT = 0.9  # of its loss before: less than a tenth gained tells nothing of what the model could learn


@probe(id="LRN032", stage=Stage.LEARNING, severity=Severity.WARNING)
def held_out_pairs_are_not_preferred(
    swapped_target_loss: SwappedTargetLoss, pair_tests: PairTests | None = None
) -> Findings:
    """Held-out rows have no lower loss with their own targets than with swapped ones."""
    found = swapped_target_loss
    if found.p_value <= UNRELATED:
        return
    related = pair_tests is not None and all(one.p_value <= UNRELATED for one in pair_tests.train if one.whole)
    doubtful = pair_tests is not None and not related and found.own < LEARNT * found.before
    yield Finding(
        where="model",
        message=f"on {found.rows} held-out rows the loss is {found.own:.3f} with their own targets and "
        f"{found.swapped:.3f} with swapped ones (chance {found.p_value:.2g}) after {found.updates} updates, "
        f"{found.before:.3f} before (chance {found.before_chance:.2g}); expected the own ones to be better"
        + ("; a linear teacher sees that they belong together: the model does not listen yet" if related else ""),
        fix="look at ten rows by eye, then train longer: either the pairs are wrong or the model needs more updates",
        measured={"own": found.own, "swapped": found.swapped, "chance": found.p_value, "updates": found.updates},
        severity=None if doubtful else Severity.NOTE,
    )
