from diagnose import Finding, Findings, Severity, Stage, probe
from diagnose.curves.compare_runs import MetricPair, RunComparison, compare_runs
from diagnose.records import Records
from probes.reporting.metric_names import is_error_rate, is_score
from probes.reporting.step_finding import step_finding

# Over the last third of the common steps. Ten seeds each of five set-ups, every run against every other: the loss of
# one is up to 1.22 times that of another by chance, and up to 1.13 times where the rank test is below 1e-4.
HIGHER, CHANCE = 1.2, 1e-4
TENTH = 0.1  # of the good run's figure, besides twice what that one wavers by from evaluation to evaluation
FIX = "compare configurations, data and versions of the two runs: diagnose diff RECEIPT RECEIPT"


@probe(id="STP027", stage=Stage.STEPS, severity=Severity.WARNING)
def run_is_worse_than_reference(records: Records, reference_records: Records) -> Findings:
    """The run is clearly worse than the reference run: a higher loss at equal steps, or a worse final metric."""
    found = compare_runs(records, reference_records)
    ratio = found.ratio
    if ratio is not None and ratio > HIGHER and found.p_value < CHANCE:
        yield _of_loss(records, found, ratio)
    for one in found.metrics:
        if worse := _worse(one):
            yield step_finding(
                records,
                records.last_step,
                f"{one.name} is {one.own:.4g} at the last common evaluation, {one.other:.4g} in the reference run, "
                f"which changed by {one.wavers:.3g} at most between its last evaluations",
                FIX,
                value=one.own,
                reference=one.other,
                worse=worse,
            )


def _of_loss(records: Records, found: RunComparison, ratio: float) -> Finding:
    return step_finding(
        records,
        found.steps[-1],
        f"the loss is {found.own[-1]:.4g}, {found.other[-1]:.4g} in the reference run; over the last third of the "
        f"common steps it is {ratio:.3g} times as high (p = {found.p_value:.1g})",
        FIX,
        ratio=ratio,
        chance=found.p_value,
    )


def _worse(one: MetricPair) -> float:
    """By how much it is clearly worse; 0 where it is not, or where nobody knows which way is better."""
    if not is_score(one.name) and not is_error_rate(one.name) and one.name != "loss":
        return 0.0
    worse = one.other - one.own if is_score(one.name) else one.own - one.other
    return worse if worse > max(TENTH * abs(one.other), 2 * one.wavers) else 0.0
