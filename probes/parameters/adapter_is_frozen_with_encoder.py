from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.weight_types import UntrainedFrozenModules


@probe(id="PAR004", stage=Stage.PARAMETERS, severity=Severity.WARNING, explains=("TOK015", "LRN*", "GEN*"))
def adapter_is_frozen_with_encoder(untrained_frozen_modules: UntrainedFrozenModules) -> Findings:
    """An untrained adapter is frozen together with the pretrained module around it."""
    seen = untrained_frozen_modules
    # Initialisation leaves exact zeros and exact laws behind; where most of what is frozen has moved from them, what
    # has not was put in later. A part that looks new as a whole is a model with random weights, and tells nothing.
    odd = seen.names if 0 < seen.size < seen.trained else ()
    if odd:
        yield Finding(
            where=odd[0],
            message=f"it is frozen with its initial weights ({seen.size:,} values in {len(odd)} modules), while "
            f"{seen.trained:,} frozen values around it are trained",
            fix="unfreeze the adapter after freezing its encoder, or load its trained weights",
            measured={"untouched": seen.size, "trained": seen.trained},
        )
    elif seen.silent:
        yield Finding(
            where=seen.silent[0],
            message="it is frozen and its weight matrix is still zero, the initial value of adapters: it has no effect",
            fix="set requires_grad=True on the adapter's parameters, or load its trained weights",
            measured={"modules": len(seen.silent)},
        )
    elif seen.adapters:
        yield Finding(
            where=seen.adapters[0],
            message=f"{len(seen.adapters)} adapter modules are frozen; their weights do not show whether they were "
            "trained",
            fix="unfreeze the adapter unless its weights were loaded from a checkpoint",
            measured={"modules": len(seen.adapters)},
            severity=Severity.NOTE,
        )
