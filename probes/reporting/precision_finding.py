"""Findings about a pass in 16 bits."""

from collections.abc import Iterator
from dataclasses import replace

from diagnose import Finding, Severity
from diagnose.engine.types import Number
from probes.facts.nonfinite.types import Origin
from probes.facts.precision.types import PrecisionComparison, PrecisionRun
from probes.reporting.nonfinite_finding import nonfinite_finding

LISTS = {"gpu": "the CUDA autocast list", "cpu": "the CPU autocast list", "pure": "model.half()"}


def judged_runs(precision: PrecisionComparison) -> Iterator[tuple[PrecisionRun, bool]]:
    """The runs in the requested precision, a GPU's first; True beside a CPU's where there is a GPU's too."""
    own = [run for run in precision.runs if run.precision == precision.target and run.rules in ("gpu", "cpu")]
    gpu = next((run for run in own if run.rules == "gpu"), None)
    for run in sorted(own, key=lambda run: run.rules != "gpu"):
        yield run, run.rules == "cpu" and gpu is not None


def failed_runs(precision: PrecisionComparison) -> Iterator[tuple[PrecisionRun, Origin, bool]]:
    """The first run that has an origin, with it: a CPU's is left out where a GPU's has failed already."""
    for run, only_cpu in judged_runs(precision):
        if run.origin is not None:
            yield run, run.origin, only_cpu
            return


def failed_run_finding(
    run: PrecisionRun, origin: Origin, only_cpu: bool, story: str, fix: str, /, **measured: Number
) -> Finding:
    """At the origin; a warning where a GPU's rules keep the run finite."""
    story = f"{describe_mode(run)}, {story}{'; on a GPU it is finite' if only_cpu else ''}"
    found = nonfinite_finding(origin, story, fix, Severity.WARNING if only_cpu else None, **measured)
    return replace(found, setting=setting_for(run)) if fix == fix_for(run) else found


def describe_mode(run: PrecisionRun) -> str:
    return f"in {run.precision} with {LISTS[run.rules]}"


def fix_for(run: PrecisionRun) -> str:
    """bf16 has the range of float32; else the modules that were tried."""
    wider = "train in bf16" if run.precision == "fp16" else "train in fp32"
    if not run.fp32_modules:
        return f"{wider}, or compute this part in float32 (x.float())"
    return f"{wider}, or keep {', '.join(run.fp32_modules)} in float32 (tried: finite with them, not without any one)"


def setting_for(run: PrecisionRun) -> str:
    """The configuration key that keeps these modules in float32."""
    return f"training.keep_fp32: [{', '.join(run.fp32_modules)}]" if run.fp32_modules else ""
