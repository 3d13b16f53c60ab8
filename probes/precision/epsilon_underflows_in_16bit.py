from diagnose import Findings, Severity, Stage, probe
from probes.facts.precision.types import PrecisionComparison
from probes.reporting.precision_finding import failed_run_finding, failed_runs

ZEROS = ("log of zero", "division by zero", "root at zero")


@probe(id="PRE006", stage=Stage.PRECISION, severity=Severity.ERROR, explains=("PRE*", "LRN*", "GEN*"))
def epsilon_underflows_in_16bit(precision_comparison: PrecisionComparison) -> Findings:
    """An epsilon that guards a division, log or square root underflows to zero in 16 bits."""
    for run, origin, only_cpu in failed_runs(precision_comparison):
        if origin.cause in ZEROS:
            story = f"{origin.operation} gets a zero that is not zero in float32"
            fix = "use an epsilon of at least 1e-5, or compute this part in float32"
            yield failed_run_finding(run, origin, only_cpu, story, fix)
