"""How findings speak of a pass in 16 bits."""

from collections.abc import Iterator

from probes.facts.precision.types import PrecisionComparison, PrecisionRun

LISTS = {"gpu": "autocast's list for a GPU", "cpu": "autocast's list for a CPU", "pure": "model.half()"}


def judged_runs(precision: PrecisionComparison) -> Iterator[tuple[PrecisionRun, bool]]:
    """The runs in the precision that was asked for, a GPU's first; and whether it is told only of a CPU."""
    own = [run for run in precision.runs if run.precision == precision.target and run.rules in ("gpu", "cpu")]
    gpu = next((run for run in own if run.rules == "gpu"), None)
    for run in sorted(own, key=lambda run: run.rules != "gpu"):
        yield run, run.rules == "cpu" and gpu is not None


def failed_runs(precision: PrecisionComparison) -> Iterator[tuple[PrecisionRun, bool]]:
    """Runs with an origin; a CPU's is left out where a GPU's has failed already."""
    for run, only_cpu in judged_runs(precision):
        if run.origin is not None:
            yield run, only_cpu
            return


def describe_mode(run: PrecisionRun) -> str:
    return f"in {run.precision} by {LISTS[run.rules]}"


def fix_for(run: PrecisionRun) -> str:
    """bf16 has the range of float32; else the modules that were tried."""
    wider = "train in bf16" if run.precision == "fp16" else "train in fp32"
    if not run.fp32_modules:
        return f"{wider}, or compute this part in float32 (x.float())"
    return (
        f"{wider}, or set training.keep_fp32: [{', '.join(run.fp32_modules)}] (tried: finite with them, not "
        "without any one)"
    )
