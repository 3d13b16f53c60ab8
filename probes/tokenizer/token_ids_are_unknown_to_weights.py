from math import log

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.tokenizer.types import RenumberedIds

FITS = 2.0  # deviations by which the own ids must be better: of wrong ones 1 in 40 are so by chance
KNOWS = 1.0  # nat above ln V: sure of itself and wrong, as trained weights are with strange ids and new ones are not


@probe(id="TOK015", stage=Stage.TOKENIZER, severity=Severity.WARNING, explains=("LOS025",))
def token_ids_are_unknown_to_weights(renumbered_ids: RenumberedIds) -> Findings:
    """Trained weights do not know the token ids: their loss is the same with ids of other tokens."""
    found, guess = renumbered_ids, log(renumbered_ids.vocabulary)
    if found.own <= guess + KNOWS or found.own <= found.renumbered - FITS * found.deviation:
        return
    yield Finding(
        where="the tokenizer",
        message=f"the loss of the trained weights is {found.own:.2f} with its ids, and {found.renumbered:.2f} (±"
        f"{found.deviation:.2f}) with ids of other tokens drawn at random, expected far less with its own; ln V "
        f"is {guess:.2f}",
        fix="load the tokenizer that the weights were trained with; in this one the ids have other "
        "meanings, unless the texts are of a kind that the weights never saw",
        measured={"loss": found.own, "renumbered": found.renumbered, "deviation": found.deviation},
    )
