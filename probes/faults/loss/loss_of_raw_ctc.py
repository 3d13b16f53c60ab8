from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts
from probes.faults.kit.loss_changes import loss_now


@fault(
    "the CTC loss receives raw logits instead of log-probabilities",
    "LOS009",
    lambda facts: hasattr(facts["model"], "raw_ctc") and loss_now(facts) < 5,
    ("hybrid",),
)
def loss_of_raw_ctc(facts: Facts) -> Facts:
    from torch.nn.functional import ctc_loss

    model = facts["model"]
    if not hasattr(model, "_ctc"):
        raise NotApplicable("its CTC loss takes the log-softmax by itself")

    def raw_ctc(hidden: Any, lengths: Any, toks: Any, tok_lens: Any) -> Any:
        scores = model.ctc(hidden).transpose(0, 1)
        return ctc_loss(scores, toks.clamp(min=0), lengths, tok_lens, blank=model.vocabulary)

    model.raw_ctc = model._ctc = raw_ctc
    return facts
