from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.pairing.types import PairTests, SwappedTargetLoss

UNRELATED = 1e-3  # a chance above it shows nothing: six looks at the model are taken while it trains
# Rows that were trained on; with fewer, a healthy model may know them by heart and nothing else. With 350 and 700 of
# them (classes or numbers of 16 features, 5 seeds each) 19 of 20 shuffled runs are named, and none of 20 whose classes
# are a parity or a sphere; classes that are foretold at 57 % are taken for shuffled in 1 of 10.
ENOUGH = 300
LEARNT = 0.2  # of the loss before: it knows which targets go with the inputs that it was trained on
CARRIES = 0.5  # of that, by three standard errors: less than half of what it knows carries over to other rows


@probe(id="LRN032", stage=Stage.LEARNING, severity=Severity.WARNING, explains=("LRN031",))
def held_out_pairs_are_not_preferred(
    swapped_target_loss: SwappedTargetLoss, pair_tests: PairTests | None = None
) -> Findings:
    """Targets seem to belong to other rows: what is learned of some rows does not carry over to others."""
    found = swapped_target_loss
    related = pair_tests is not None and any(one.p_value <= UNRELATED for one in pair_tests.train if one.whole)
    enough = found.trained_rows >= ENOUGH and found.least_chance <= UNRELATED
    by_heart = enough and found.learnt > LEARNT * abs(found.before)
    if found.p_value <= UNRELATED or related or not by_heart or found.carried > CARRIES * found.learnt:
        return
    yield Finding(
        where="train_batches",
        message=f"after {found.updates} updates on {found.trained_rows} rows, swapped targets raise the loss of these "
        f"rows by {found.learnt:.3g}, but the loss of {found.rows} held-out rows by {found.swapped - found.own:.2g} "
        f"(at most {found.carried:.2g}; p = {found.p_value:.2g}); expected a clear rise there too",
        fix="check ten rows by hand: does the target match the input? Join them again by file name, not by position",
        measured={"learnt": found.learnt, "carried": found.carried, "chance": found.p_value, "rows": found.rows},
    )
