from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.parameters.types import Parameters
from probes.facts.parameters.weight_types import MemoryOverlap


@probe(id="PAR012", stage=Stage.PARAMETERS, severity=Severity.ERROR, explains=("TOK011", "LRN*", "GEN*"))
def weights_overlap_in_memory(memory_overlaps: tuple[MemoryOverlap, ...], parameters: Parameters) -> Findings:
    """Two different parameters overlap in memory, so each update overwrites the other."""
    trained = {row.name for row in parameters.rows if row.trainable}
    for pair in memory_overlaps:
        if {pair.one, pair.other} & trained:
            yield Finding(
                where=pair.other,
                message=f"{pair.values:,} of its values share memory with {pair.one}, but they are two parameters: "
                "each gets part of the gradient, and the optimizer updates the values twice",
                fix="tie them by assigning the Parameter itself, not its .data, or clone() one of them",
                measured={"values": pair.values},
            )
