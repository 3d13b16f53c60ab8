from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.gradients.types import RepeatedStep

# Relative. A CPU repeats itself but for the alignment of its memory, some units of float32's last digit (1e-7); a GPU
# may choose another algorithm, with products of ten bits. Dropout and masks from another seed differ by more.
SAME = {"cpu": 2e-6}
ELSEWHERE = 1e-3


@probe(id="GRD020", stage=Stage.GRADIENTS, severity=Severity.WARNING, explains=("LRN*", "GEN*"))
def first_step_is_not_deterministic(repeated_step: RepeatedStep) -> Findings:
    """The first step is not deterministic: the same seed and state give a different loss."""
    first, again = repeated_step.first, repeated_step.second
    same = SAME.get(repeated_step.device, ELSEWHERE)
    if repeated_step.failure or not abs(again - first) > same * max(1.0, abs(first)):
        return
    module = repeated_step.nondeterministic_module
    place = f"{module} ({repeated_step.kind})" if module else "the loss function"
    yield Finding(
        where=module or "compute_loss",
        message=f"with the same seed the loss of the first batch is {first:.7g}, then {again:.7g}, expected the same; "
        f"{place} is the first module whose output differs for the same input",
        fix="use the generators of torch, numpy or random that the seed controls, not the clock, the system or an "
        "unseeded generator",
        measured={"first": first, "again": again, "module": module},
    )
