from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.gradients.types import RepeatedStep

# Trained heads may look at one position alone, but not every head of a layer at every query; untrained ones spread out.
# Two keys that are alike share the weight: a few queries stay undecided.
DECIDED = 0.95


@probe(id="GRD009", stage=Stage.GRADIENTS, severity=Severity.WARNING, explains=("GRD002", "GRD005", "LRN*", "GEN*"))
def attention_is_one_hot(repeated_step: RepeatedStep) -> Findings:
    """Attention is one-hot: nearly every query attends to a single position, so gradients vanish."""
    sure = [one for one in repeated_step.activations if one.decided >= DECIDED]
    if sure:
        first = sure[0]
        others = f"; {len(sure)} such layers, {', '.join(one.module for one in sure[:4])}" if len(sure) > 1 else ""
        yield Finding(
            where=first.module,
            message=f"{first.decided:.1%} of the queries of this {first.kind} put more than 0.9999 of their weight on "
            f"one position, expected several positions{others}",
            fix="divide the attention scores by sqrt(head_dim), and initialize the query and key projections smaller",
            measured={"one_hot": first.decided, "layers": len(sure)},
        )
