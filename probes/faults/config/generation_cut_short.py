from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.settings import argument, with_arguments


@fault(
    id="generation_cut_short",
    breaks="an evaluation may generate three tokens",
    named_by="CFG009",
    proof=lambda facts: argument(facts, "generation_max_length") == 4,
    applies_to=("whisper", "e2e", "mt5"),
)
def generation_cut_short(facts: Facts) -> Facts:
    return with_arguments(facts, predict_with_generate=True, generation_max_length=4)
