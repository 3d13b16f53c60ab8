from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts


def untie(model: Any) -> None:
    """A head of its own, as the released mT5 have."""
    import torch

    model.lm_head.weight = torch.nn.Parameter(model.lm_head.weight.detach().clone())


@fault(
    "a head that was its own is tied to the embedding by a resize",
    "TOK011",
    lambda facts: "untied" in facts and facts["model"].lm_head.weight is facts["model"].shared.weight,
    ("mt5",),
)
def head_tied_by_resize(facts: Facts) -> Facts:
    from torch.optim import AdamW

    untie(facts["model"])
    facts["model"].resize_token_embeddings(len(facts["tokenizer"]) + 4)
    return {**facts, "optimizer": AdamW(facts["model"].parameters(), lr=1e-3), "untied": ("lm_head.weight",)}
