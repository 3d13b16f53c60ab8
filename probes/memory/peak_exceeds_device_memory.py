from diagnose import Finding, Findings, Severity, Stage, probe
from diagnose.common.size_text import size_text
from probes.facts.memory.types import ERROR, STEP, MemoryPlan


@probe(id="MEM001", stage=Stage.MEMORY, severity=Severity.ERROR)
def peak_exceeds_device_memory(memory_plan: MemoryPlan) -> Findings:
    """The predicted peak is larger than the memory of the device, or leaves no head-room in it."""
    limit, peak = memory_plan.limit, memory_plan.prediction.peak
    if peak > limit.bytes:
        yield _finding(memory_plan, f"{limit.name} has {size_text(limit.bytes)}")
    elif peak > limit.usable:
        spare = f"a prediction may be {ERROR:.0%} too low, and {limit.overhead_of} take {size_text(limit.overhead)}"
        yield _finding(memory_plan, f"{limit.name} has {size_text(limit.bytes)}; {spare}", Severity.WARNING)


def _finding(plan: MemoryPlan, against: str, severity: Severity | None = None) -> Finding:
    """Where the peak is, of what it is made, and the first of the changes that would lower it."""
    found = plan.prediction
    largest = sorted(found.step.kinds.items(), key=lambda item: -item[1])[:3]
    parts = ", ".join(f"{kind} {size_text(size)}" for kind, size in largest)
    where = f"{found.peak_phase}, {found.step.peak_phase}" if found.peak_phase == STEP else found.peak_phase
    change = next((one for one in plan.changes if one.fits), plan.together or next(iter(plan.changes), None))
    fix = "use a device with more memory, or a smaller model"
    if change is not None:
        fix = f"set {change.setting}: predicted {size_text(change.peak)}"
        fix += "" if change.fits else ", which does not fit either; `diagnose memory` lists more"
    return Finding(
        where=f"{where}: {found.step.batch}",
        message=f"the predicted peak is {size_text(found.peak)} ({parts}); {against}",
        fix=fix,
        measured={
            "peak": found.peak,
            "memory": plan.limit.bytes,
            **{f"{phase} peak": n for phase, n in found.phases.items()},
        },
        severity=severity,
    )
