from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.precision.types import PrecisionComparison
from probes.reporting.nonfinite_finding import nonfinite_finding
from probes.reporting.precision_finding import describe_mode, failed_runs

ZEROS = ("log of zero", "division by zero", "root at zero")


@probe(id="PRE006", stage=Stage.PRECISION, severity=Severity.ERROR, explains=("PRE*", "LRN*", "GEN*"))
def epsilon_underflows_in_16bit(precision_comparison: PrecisionComparison) -> Iterator[Finding]:
    """An epsilon that guards a division, log or square root underflows to zero in 16 bits."""
    for run, only_cpu in failed_runs(precision_comparison):
        if run.origin is not None and run.origin.cause in ZEROS:
            only = "; on a GPU it is finite" if only_cpu else ""
            yield nonfinite_finding(
                run.origin,
                f"{describe_mode(run)}, {run.origin.operation} meets a nought that float32 does not have{only}",
                "use an eps of 1e-5 and more, or compute this part in float32",
                Severity.WARNING if only_cpu else None,
            )
