from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts, collate_rows, with_batches
from probes.faults.kit.forward_changes import loss_of


@fault(
    "the lengths of CTC targets are those of the padded batch",
    "LAB036",
    lambda f: len(set(collate_rows(f, 0, 35)["tok_lens"].tolist())) == 1,
    ("hybrid",),
)
def ctc_lengths_of_the_padded(facts: Facts) -> Facts:
    def change(batch: Any) -> Any:
        return {**batch, "tok_lens": batch["tok_lens"] * 0 + batch["toks"].shape[1]}

    broken = with_batches(facts, change)
    if abs(float(loss_of(broken).detach()) - float(loss_of(facts).detach())) < 1e-6:
        raise NotApplicable("its model does not read the lengths of the labels")
    return broken
