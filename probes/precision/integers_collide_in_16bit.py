from diagnose import Findings, Severity, Stage, probe
from probes.facts.precision.types import FORMATS, PrecisionComparison
from probes.reporting.code_finding import code_finding
from probes.reporting.precision_finding import describe_mode, judged_runs


@probe(id="PRE005", stage=Stage.PRECISION, severity=Severity.WARNING)
def integers_collide_in_16bit(precision_comparison: PrecisionComparison) -> Findings:
    """Integers such as positions or lengths collide when stored in 16 bits."""
    for run, only_cpu in judged_runs(precision_comparison):
        if only_cpu or not run.collided:
            continue
        first = run.collided[0]
        format = FORMATS[run.precision]
        yield code_finding(
            first.line,
            f"{first.module} ({first.kind})" if first.kind else first.module or first.line,
            f"{describe_mode(run)}, {first.key[3]} has {first.whole} integers up to {first.largest:.0f}, of which "
            f"{first.apart} stay distinct: {format.name} represents integers exactly only up to {2**format.digits}",
            "keep positions, lengths and counts as int64 or float32, and cast only the results",
            numbers=first.whole,
            apart=first.apart,
            largest=first.largest,
        )
