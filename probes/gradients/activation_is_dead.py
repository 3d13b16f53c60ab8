from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.gradients.types import RepeatedStep

# A random unit is active in half of all positions; the sparsest trained layers (ReLU language models) in a twentieth.
ALIVE = 1e-3
SMALL = 64  # fewer outputs than this may all be off by chance


@probe(id="GRD007", stage=Stage.GRADIENTS, severity=Severity.ERROR, explains=("GRD002", "GRD005", "LRN*", "GEN*"))
def activation_is_dead(repeated_step: RepeatedStep) -> Findings:
    """An activation is dead: it outputs zero for the whole batch and passes no gradient."""
    dead = [one for one in repeated_step.activations if one.alive < ALIVE and one.size >= SMALL]
    if dead:
        first = dead[0]
        others = f"; {len(dead)} such layers, {', '.join(one.module for one in dead[:4])}" if len(dead) > 1 else ""
        yield Finding(
            where=first.module,
            message=f"{first.alive:.2%} of the {first.size} outputs of {first.function} in this {first.kind} are not "
            f"zero, expected about half{others}",
            fix=f"check the input of {first.function}: a bias far below 0, or weights of one sign",
            measured={"alive": first.alive, "outputs": first.size, "layers": len(dead)},
        )
