from diagnose import Finding, Findings, Severity, Stage, probe
from diagnose.records import Records
from probes.reporting.metric_names import why_wrong, worst_of
from probes.reporting.step_finding import step_finding
from probes.reporting.trend_tests import initial_median, recent_median

EVALUATIONS = 3
PATIENCE = 500  # steps: before them a model may well say nothing yet
LEARNT = 0.5  # of its first loss: a model that has learnt may read a small set the same way again
Evaluations = list[tuple[int, float]]


@probe(id="STP021", stage=Stage.STEPS, severity=Severity.WARNING)
def eval_metric_is_constant(records: Records) -> Findings:
    """An evaluation metric is constant or stays at its worst value over several evaluations."""
    run = records.finite_part
    begins = run.phase.rows[0].step if run.phase.rows else 0
    losses = run.phase.series("loss").values
    learnt = bool(losses) and recent_median(losses) < LEARNT * initial_median(losses)
    for name in run.evaluated:
        series = run.series(f"evaluation.{name}")
        kept = [(s, v) for s, v in zip(series.steps, series.values, strict=True) if s >= begins]
        enough = name == "loss" or (bool(kept) and kept[-1][0] - begins >= PATIENCE)
        if not enough or len(kept) < EVALUATIONS:
            continue
        if found := _constant(records, name, kept, learnt) or _at_its_worst(records, name, kept):
            yield found
            return


def _constant(records: Records, name: str, kept: Evaluations, learnt: bool) -> Finding | None:
    last = kept[-EVALUATIONS:]
    if any(value != last[0][1] for _, value in last):
        return None
    why = why_wrong(name, last[0][1], always=all(value == last[0][1] for _, value in kept) and not learnt)
    return _finding(records, last, f"{name} is {last[0][1]:.6f} at", why) if why else None


def _at_its_worst(records: Records, name: str, kept: Evaluations) -> Finding | None:
    """All evaluations are about as bad as texts without any relation to their references."""
    worst, values = worst_of(records, name), [value for _, value in kept]
    if worst is None or not all(worst.holds(value) for value in values) or worst.improves(values):
        return None
    why = f"no better than texts without relation to their references ({worst.stated})"
    return _finding(records, kept, f"{name} is {min(values):.4g} to {max(values):.4g} at", why)


def _finding(records: Records, seen: Evaluations, what: str, why: str) -> Finding:
    return step_finding(
        records,
        seen[-1][0],
        f"{what} {len(seen)} consecutive evaluations since step {seen[0][0]}: {why}",
        "compare generated texts with their references, and check that the trained model is evaluated",
        value=seen[-1][1],
        evaluations=len(seen),
    )
