from typing import Any

from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts


@fault(
    "a layer's activation differs from the configuration, so a reloaded model differs",
    "GEN019",
    lambda facts: any(type(module).__name__ == "SteepActivation" for module in facts["model"].modules()),
    HF_MODELS,
)
def part_replaced_by_hand(facts: Facts) -> Facts:
    from torch import Tensor, nn

    class SteepActivation(nn.Module):
        def forward(self, x: Tensor) -> Tensor:
            return 30 * x

    model: Any = facts["model"]
    for module in model.get_decoder().modules():
        if hasattr(module, "dropout") and isinstance(module.dropout, nn.Dropout):
            module.dropout = SteepActivation()
            return facts
    holder = (getattr(model, "model", None) or getattr(model.decoder, "model", model)).decoder
    for layer in holder.layers:
        layer.activation_fn = SteepActivation()
    return facts
