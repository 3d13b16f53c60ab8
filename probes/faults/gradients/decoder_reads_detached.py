from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts


@fault(
    id="decoder_reads_detached",
    description="the encoder's output is detached before the decoder, while CTC still trains the encoder",
    probe_id="GRD010",
    is_present=lambda facts: "_decode" in vars(facts["model"]),
    applies_to=("hybrid",),
)
def decoder_reads_detached(facts: Facts) -> Facts:
    model = facts["model"]
    usual = model._decode

    def decode(*given: Any) -> Any:
        return usual(*(one.detach() if one.is_floating_point() else one for one in given))

    model._decode = decode
    return facts
