from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.pairing.types import PairTests, SwappedTargetLoss

UNRELATED = 0.01  # a chance above it shows nothing
ENOUGH = 100  # rows, with which the demo's right pairs stand out by more than 20 sigmas


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
                f"{one.p_value:.2g}, expected p below {UNRELATED}",
                fix="check ten rows by hand: does the target match the input?",
                measured={"sigmas": one.z_score, "chance": one.p_value, "rows": one.rows},
            )
