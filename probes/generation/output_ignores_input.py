from itertools import combinations

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.types import FreeGeneration

SHORT = 4  # tokens: shorter answers may well be the same


@probe(id="GEN008", stage=Stage.GENERATION, severity=Severity.WARNING, explains=("GEN010",))
def output_ignores_input(pretrained_generation: FreeGeneration) -> Findings:
    """A trained model generates the same output for different inputs."""
    special = pretrained_generation.special
    said = [(row, [token for token in row.ids if token not in special]) for row in pretrained_generation.rows]
    for (one, tokens), (other, others) in combinations(said, 2):
        if tokens == others and len(tokens) >= SHORT and one.labels != other.labels:
            yield Finding(
                where=f"{one.where} and {other.where}",
                message=f"both rows generate the same {len(tokens)} tokens, although their labels have "
                f"{len(one.labels)} and {len(other.labels)} different ones: the input has no effect",
                fix="check what cross-attention receives: encoder weights, mask, inputs of the batch",
                measured={"tokens": len(tokens)},
            )
            return
