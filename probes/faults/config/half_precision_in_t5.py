from diagnose import fault
from probes.faults.kit.argument_changes import with_fp16
from probes.faults.kit.changes import Facts


@fault("an mT5 is to be trained in fp16", "CFG018", lambda facts: facts["precision"] == "fp16", ("mt5",))
def half_precision_in_t5(facts: Facts) -> Facts:
    return with_fp16(facts, "cpu", "cuda:0")
