from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.measured.generation import FreeOutput

SHORT = 4  # tokens: shorter answers may well be the same


@probe(id="GEN008", stage=Stage.GENERATION, severity=Severity.WARNING, explains=("GEN010",))
def output_ignores_input(trained_output: FreeOutput) -> Iterator[Finding]:
    """A trained model says the same to different inputs: its decoder does not listen to its encoder."""
    rows = trained_output.rows
    if len(rows) < 2 or rows[0].labels == rows[1].labels:
        return
    one, other = ([token for token in row.ids if token not in trained_output.special] for row in rows[:2])
    if one == other and len(one) >= SHORT:
        yield Finding(
            where=f"{rows[0].where} and {rows[1].where}",
            message=f"both rows get the same {len(one)} tokens, their labels have {len(rows[0].labels)} and "
            f"{len(rows[1].labels)} different ones: the input changes nothing",
            fix="look at what the decoder's cross-attention is given: encoder weights, mask, and the batch's inputs",
            measured={"tokens": len(one)},
        )
