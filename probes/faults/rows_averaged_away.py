from diagnose import fault
from probes.faults.changes import SEQUENCES, Facts, encoder_of, hook_output
from probes.faults.loss_deaf_to_input import _is_deaf


@fault(
    id="rows_averaged_away",
    breaks="the encoder's output is averaged over the rows in place of the frames: the decoder hears no row of its own",
    named_by="LOS005",
    proof=_is_deaf,
    applies_to=SEQUENCES,
)
def rows_averaged_away(facts: Facts) -> Facts:
    hook_output(encoder_of(facts), lambda hidden: hidden.mean(0, keepdim=True).expand_as(hidden))
    return facts
