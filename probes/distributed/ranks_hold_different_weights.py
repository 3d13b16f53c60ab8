from collections.abc import Sequence

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.distributed.types import RankParameter, RankSteps
from probes.reporting.first_names import first_names

# Of a gradient's norm. DistributedDataParallel leaves the same bits everywhere; sums in another order differ by about
# 1e-6 in float32. Gradients of different batches that nobody averaged differ by tens of per cent.
ROUNDING = 1e-4


@probe(id="DST003", stage=Stage.DISTRIBUTED, severity=Severity.ERROR)
def ranks_hold_different_weights(rank_steps: tuple[RankSteps, ...]) -> Findings:
    """Ranks hold different weights after a step: gradients or parameters are not synchronized."""
    names = dict.fromkeys(weight.name for steps in rank_steps for weight in steps.weights)
    held = {name: [_of(steps, name) for steps in rank_steps] for name in names}
    apart = [name for name, weights in held.items() if _differ(weights)]
    if not apart:
        return
    first = held[apart[0]]
    measured = {"parameters": len(apart), "of": len(held), "processes": len(rank_steps)}
    if len({weight.before for weight in first if weight}) > 1 or None in first:
        message = f"{len(apart)} of {len(held)} parameters differ between processes, already before the step"
        fix = "build every parameter before DistributedDataParallel wraps the model, or broadcast it from rank 0"
    else:
        norms = " and ".join(f"{w.gradient:.4g}" for w in first if w and w.gradient is not None) or "not seen"
        message = f"{len(apart)} of {len(held)} parameters are equal before a step and differ after it (norms of their "
        message += f"gradients: {norms})"
        fix = "call the DistributedDataParallel wrapper, not model.module, or average the gradients yourself"
    yield Finding(
        where=apart[0], message=f"{message}, expected the same: {first_names(apart)}", fix=fix, measured=measured
    )


def _of(steps: RankSteps, name: str) -> RankParameter | None:
    return next((weight for weight in steps.weights if weight.name == name), None)


def _differ(weights: Sequence[RankParameter | None]) -> bool:
    found = [weight for weight in weights if weight is not None]
    if len(found) < len(weights) or len({weight.after for weight in found}) > 1:
        return not _only_rounded(found)
    return _gradients_apart(found)


def _only_rounded(weights: Sequence[RankParameter]) -> bool:
    """They began the same and took the same gradients."""
    known = all(weight.gradient is not None for weight in weights)
    return known and len({weight.before for weight in weights}) == 1 and not _gradients_apart(weights)


def _gradients_apart(weights: Sequence[RankParameter]) -> bool:
    """Also where a learning rate of zero, at the start of a warm-up, has hidden it in the weights."""
    norms = [weight.gradient for weight in weights if weight.gradient is not None]
    return len(norms) == len(weights) and max(norms) - min(norms) > ROUNDING * max(norms)
