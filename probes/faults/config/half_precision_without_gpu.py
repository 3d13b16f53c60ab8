from diagnose import fault
from probes.faults.kit.argument_changes import with_fp16
from probes.faults.kit.changes import Facts


@fault(
    "fp16 is on without a GPU", "CFG019", lambda f: f.get("precision") == "fp16", ("whisper", "hybrid", "classifier")
)
def half_precision_without_gpu(facts: Facts) -> Facts:
    return with_fp16(facts, "cpu")
