from diagnose import fault
from probes.faults.kit.argument_changes import argument, with_arguments
from probes.faults.kit.changes import Facts


@fault(
    "an evaluation may generate three tokens",
    "CFG009",
    lambda facts: argument(facts, "generation_max_length") == 4,
    ("whisper", "e2e", "mt5"),
)
def generation_cut_short(facts: Facts) -> Facts:
    return with_arguments(facts, predict_with_generate=True, generation_max_length=4)
