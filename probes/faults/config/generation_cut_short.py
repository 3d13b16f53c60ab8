from diagnose import fault
from probes.faults.kit.argument_changes import argument, with_arguments
from probes.faults.kit.changes import Facts


@fault(
    id="generation_cut_short",
    description="an evaluation may generate three tokens",
    probe_id="CFG009",
    is_present=lambda facts: argument(facts, "generation_max_length") == 4,
    applies_to=("whisper", "e2e", "mt5"),
)
def generation_cut_short(facts: Facts) -> Facts:
    return with_arguments(facts, predict_with_generate=True, generation_max_length=4)
