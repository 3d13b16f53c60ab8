from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.padding.types import PaddingEffect

SAME = 1e-3  # of the input's spread: a thousand times what float32 rounds


@probe(id="LAB024", stage=Stage.LABELS, severity=Severity.WARNING)
def input_depends_on_batch_padding(padding_effect: PaddingEffect) -> Findings:
    """The collator gives a row different input values depending on the padding of its batch."""
    effect = padding_effect
    if effect.input_change > SAME:
        yield Finding(
            where="collate",
            message=f"the input of a row of length {effect.lengths[0]} changes by {effect.input_change:.2g} standard "
            f"deviations when padded to {effect.lengths[1]}, expected 0: the row has different values in another batch",
            fix="normalize each row over its own length, before padding",
            measured={"change": effect.input_change, "length": effect.lengths[0], "padded": effect.lengths[1]},
        )
