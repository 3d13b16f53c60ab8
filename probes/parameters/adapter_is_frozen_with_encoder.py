from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.weight_types import UntrainedFrozenModules


@probe(id="PAR004", stage=Stage.PARAMETERS, severity=Severity.WARNING, explains=("LRN*", "GEN*"))
def adapter_is_frozen_with_encoder(untrained_frozen_modules: UntrainedFrozenModules) -> Findings:
    """An untrained adapter is frozen together with the pretrained module around it."""
    seen = untrained_frozen_modules
    # Initialisation leaves exact zeros and exact laws behind; where most of what is frozen has moved from them, what
    # has not was put in later. A part that looks new as a whole is a model with random weights, and tells nothing.
    odd = seen.names if 0 < seen.size < seen.trained else ()
    if odd:
        yield Finding(
            where=odd[0],
            message=f"it is frozen and its weights are as initialisation leaves them ({seen.size:,} values in "
            f"{len(odd)} modules), while {seen.trained:,} frozen values around it were trained",
            fix="unfreeze the adapter after freezing its encoder, or read the weights that belong to it",
            measured={"untouched": seen.size, "trained": seen.trained},
        )
    elif seen.silent:
        yield Finding(
            where=seen.silent[0],
            message="it is frozen and its matrix is all zero, as adapters start: it will add nothing for ever",
            fix="set requires_grad on the adapter's own parameters, or read its trained weights",
            measured={"modules": len(seen.silent)},
        )
    elif seen.adapters:
        yield Finding(
            where=seen.adapters[0],
            message=f"{len(seen.adapters)} modules of an adapter are frozen; their weights do not tell whether "
            "they were ever trained",
            fix="unfreeze the adapter unless its weights were read from a checkpoint",
            measured={"modules": len(seen.adapters)},
            severity=Severity.NOTE,
        )
