from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.weight_types import Weights, WeightStats

EFFECTS = ("PAR010", "LOS*", "GRD*", "LRN*", "GEN*")


@probe(id="PAR009", stage=Stage.PARAMETERS, severity=Severity.ERROR, explains=EFFECTS)
def weights_are_constant(initial_weights: Weights) -> Findings:
    """All units of a layer start with the same weights, so they never become different."""
    found = [(row, why) for row in initial_weights.matrices if (why := _why(row, initial_weights))]
    if found:
        row, why = found[0]
        yield Finding(
            where=row.name,
            message=f"{why} ({row.kind} {list(row.shape)}), expected random or trained weights; {len(found)} of "
            f"{len(initial_weights.matrices)} matrices are affected",
            fix="initialize the layer at random, or load its weights: equal units never become different",
            measured={"value": row.lowest, "matrices": len(found)},
        )


def _why(row: WeightStats, weights: Weights) -> str:
    """Zeros are healthy where a layer starts as nothing (LoRA's second matrix, a head): so in every layer or alone."""
    if row.nan or row.infinite or not row.equal_rows or (not row.trainable and row.highest):
        return ""  # what is frozen may be a fixed average
    if not row.constant:
        return "every row has the same weights" if row.role != "embedding" else ""
    if row.lowest:
        return f"every weight is {row.lowest:.4g}"
    blank = [one for one in weights.matrices if one.constant and not one.lowest]
    if 2 * sum(one.size for one in blank) > sum(one.size for one in weights.matrices):
        return "every weight is 0, here and in most of the model"
    beside = f"every weight is 0, while those of the other layers have a std of {row.sibling_std or 0:.2g}"
    return beside if row.sibling_std else ""
