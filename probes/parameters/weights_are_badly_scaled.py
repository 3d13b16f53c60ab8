from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.weight_types import Weights, WeightStats

# The laws in use (Xavier, He, torch's own, 0.02 normal, T5's) give std × √fan-in between 0.1 and 3, trained T5 up to
# about 15; a head that is a token table as well (mT5: std 1 at any width) up to 100. Flagged are only orders of
# magnitude: above WIDE nothing learns without saturating, below NARROW float32 loses a layer's output beside its input.
WIDE, WIDE_HEAD, NARROW = 100.0, 1000.0, 1e-6
APART = 30.0  # the same parameter of other layers follows the same law; depth-scaled laws differ by √layers at most


@probe(
    id="PAR010", stage=Stage.PARAMETERS, severity=Severity.WARNING, explains=("LOS*", "GRD*", "PRE*", "LRN*", "GEN*")
)
def weights_are_badly_scaled(initial_weights: Weights) -> Findings:
    """Weights are orders of magnitude too large or too small for any usual initialization."""
    found = [(row, why) for row in initial_weights.rows if (why := _why(row))]
    if found:
        row, why = found[0]
        yield Finding(
            where=row.name,
            message=f"its std is {row.std:.3g}, so outputs are {row.gain:.3g} times as large as inputs, {why}; "
            f"{len(found)} parameters are affected",
            fix="initialize this layer with Xavier or Kaiming init, or find what scaled its weights",
            measured={"std": row.std, "gain": row.gain, "parameters": len(found)},
        )


def _why(row: WeightStats) -> str:
    if not row.std or len(row.shape) < 2 or row.role == "embedding":
        return ""
    if row.role in ("dense", "head") and row.gain > (WIDE_HEAD if row.role == "head" else WIDE):
        return "expected 3 at most"
    if row.role == "dense" and row.gain < NARROW and row.trainable:
        return "expected 0.1 at least"
    if row.sibling_std and not row.sibling_std / APART < row.std < row.sibling_std * APART:
        # of two layers, the one that is farther from the laws is the odd one
        far = row.gain if row.gain > 1 else 1 / max(row.gain, 1e-30)
        other = row.gain * row.sibling_std / row.std
        if far > (other if other > 1 else 1 / other):
            return f"expected {row.sibling_std:.3g}, as in the same parameter of other layers"
    return ""
