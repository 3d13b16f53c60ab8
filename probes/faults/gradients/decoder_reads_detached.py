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
    usual = facts["model"]._decode

    def decode(*inputs: Any) -> Any:
        return usual(*(one.detach() if one.is_floating_point() else one for one in inputs))

    facts["model"]._decode = decode
    return facts
