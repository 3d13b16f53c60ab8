from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.pairing.types import PairTest, PairTests, SwappedTargetLoss

UNRELATED = 1e-3  # a chance above it shows nothing
ENOUGH = 100  # rows, with which the demo's right pairs stand out by more than 20 sigmas
# A relation that decides so much would have been seen: the right tags and texts of 10 seeds each stand out by 30
# sigmas and more. Not so vectors and classes: a parity or an order of tokens may be all there is.
STRONG = {"tags": 0.5, "texts": 0.1}


@probe(id="LRN031", stage=Stage.LEARNING, severity=Severity.NOTE)
def input_target_relation_not_shown(
    pair_tests: PairTests, swapped_target_loss: SwappedTargetLoss | None = None
) -> Findings:
    """No statistical relation between inputs and targets could be shown."""
    if swapped_target_loss is not None and swapped_target_loss.p_value <= UNRELATED:
        return
    for one in pair_tests.train:
        if one.whole and one.p_value > UNRELATED and one.rows >= ENOUGH:
            yield Finding(
                where=one.where,
                message=f"with {one.rows} rows, own targets against swapped targets: z = {one.z_score:.1f}, p = "
                f"{one.p_value:.2g}, expected p below {UNRELATED}{_power(one)}",
                fix="check ten rows by hand: does the target match the input? Join them again by file name, not by "
                "position",
                measured={"sigmas": one.z_score, "chance": one.p_value, "rows": one.rows, "power": one.power or 1.0},
                severity=Severity.WARNING if _is_expected(one) else None,
            )


def _is_expected(one: PairTest) -> bool:
    """Tags follow their tokens, and texts what they are made of: that such a relation is missing is no usual task."""
    return one.power is not None and one.power <= STRONG.get(one.kind, 0.0)


def _power(one: PairTest) -> str:
    if one.power is None:
        return "; a relation would not have been seen either: there are too few rows"
    return f"; a relation that decides {one.power:.0%} of the targets would have been seen"
