from math import log

from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.core.types import TokenTables
from probes.facts.labels.types import EvalForward

NAT = 1.0  # each token e times less likely than before; new tokens in a few labels cost less


@probe(id="TOK012", stage=Stage.TOKENIZER, severity=Severity.ERROR, explains=("TOK015", "LRN*", "GEN*"))
def loss_jumped_after_model_edit(
    reference_loss: float, eval_forward: EvalForward, token_tables: TokenTables
) -> Findings:
    """The loss jumped after the model was edited: trained weights were lost."""
    classes = token_tables.head.rows if token_tables.head else 2
    halfway = (reference_loss + max(reference_loss, log(classes))) / 2  # towards knowing nothing at all
    loss = eval_forward.loss
    if loss is not None and loss > reference_loss + NAT:
        yield Finding(
            where="batch 0",
            message=f"loss {loss:.3f}, before the edit {reference_loss:.3f}; random weights with {classes} classes "
            f"would give {log(classes):.2f}",
            fix="compare head and embedding before and after the edit; resizing mT5 ties and overwrites its head",
            measured={"loss": loss, "before": reference_loss, "random": log(classes)},
            severity=None if loss > halfway else Severity.WARNING,
        )
