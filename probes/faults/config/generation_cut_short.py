from diagnose import fault
from probes.faults.kit.argument_changes import argument_is, with_arguments
from probes.faults.kit.changes import HF_MODELS, Facts


@fault("an evaluation may generate three tokens", "CFG009", argument_is("generation_max_length", 4), HF_MODELS)
def generation_cut_short(facts: Facts) -> Facts:
    return with_arguments(facts, predict_with_generate=True, generation_max_length=4)
