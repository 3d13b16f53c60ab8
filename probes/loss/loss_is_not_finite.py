from math import isfinite

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.core.types import FirstLoss


@probe(id="LOS001", stage=Stage.LOSS, severity=Severity.ERROR, explains=("GRD*", "PRE*", "LRN*", "GEN*"))
def loss_is_not_finite(first_loss: FirstLoss) -> Findings:
    """The loss of the first batch is NaN or Inf."""
    if isfinite(first_loss.value):
        return
    logits = first_loss.logits
    bad = logits.nan + logits.infinite if logits else 0
    parts = "".join(f", {name} {value:.4g}" for name, value in first_loss.parts.items())
    source = f"{bad} of its logits are not finite" if bad else "its logits are finite: the loss function produces it"
    yield Finding(
        where="batch 0",
        message=f"Loss: {first_loss.value}{parts}, expected a finite number" + (f"; {source}" if logits else ""),
        fix="run diagnose nan-bisect in fp32 on this batch: it names the module, the operation and the row",
        measured={"loss": first_loss.value, "bad_logits": bad},
    )
