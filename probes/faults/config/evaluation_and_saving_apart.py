from diagnose import fault
from probes.faults.kit.argument_changes import argument_is, with_arguments
from probes.faults.kit.changes import Facts


@fault(
    "load_best_model_at_end is on, with evaluation by epochs and saving by steps",
    "CFG008",
    argument_is("eval_strategy", "epoch"),
)
def evaluation_and_saving_apart(facts: Facts) -> Facts:
    return with_arguments(facts, eval_strategy="epoch", load_best_model_at_end=True)
