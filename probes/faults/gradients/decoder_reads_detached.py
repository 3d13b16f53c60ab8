from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    "the encoder's output is detached before the decoder, while CTC still trains the encoder",
    "GRD010",
    lambda facts: "_decode" in vars(facts["model"]),
    ("hybrid",),
)
def decoder_reads_detached(facts: Facts) -> Facts:
    model = facts["model"]
    usual = model._decode

    def decode(*given: Any) -> Any:
        return usual(*(one.detach() if one.is_floating_point() else one for one in given))

    model._decode = decode
    return facts
