from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.module_changes import with_optimizer


@fault(
    "a head that was its own is tied to the embedding by a resize",
    "TOK011",
    lambda facts: "untied" in facts and facts["model"].lm_head.weight is facts["model"].shared.weight,
    ("mt5",),
)
def head_tied_by_resize(facts: Facts) -> Facts:
    """The head gets weights of its own, as the released mT5 have, before the resize."""
    import torch

    head = facts["model"].lm_head
    head.weight = torch.nn.Parameter(head.weight.detach().clone())
    facts["model"].resize_token_embeddings(len(facts["tokenizer"]) + 4)
    return {**with_optimizer(facts), "untied": ("lm_head.weight",)}
