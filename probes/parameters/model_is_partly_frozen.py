from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.parameters.types import Parameters

SHOWN = 8


@probe(id="PAR015", stage=Stage.PARAMETERS, severity=Severity.NOTE)
def model_is_partly_frozen(parameters: Parameters) -> Iterator[Finding]:
    """The model is partly frozen: only some of its parameters are trainable."""
    frozen = sum(row.size for row in parameters.rows if not row.trainable and not row.fixed)
    if frozen and parameters.trainable:
        share = 100 * parameters.trainable / parameters.total
        blocks = sorted(parameters.blocks, key=lambda block: -block.total)
        yield Finding(
            where="model",
            message=f"Trainable: {parameters.trainable:,} / {parameters.total:,} ({share:.1f}%): "
            f"{', '.join(str(block) for block in blocks[:SHOWN])}{', …' if len(blocks) > SHOWN else ''}",
            fix="compare with what you mean to train; name it in the fact `trainable` to have it checked",
            measured={"trainable": parameters.trainable, "total": parameters.total},
        )
