from diagnose import fault
from probes.faults.kit.changes import SEQUENCES, Facts
from probes.faults.kit.generation_changes import generated


@fault("generate reads a key that the batches do not hold", "GEN001", lambda facts: generated(facts) is None, SEQUENCES)
def generation_given_a_wrong_key(facts: Facts) -> Facts:
    return {**facts, "generate": lambda model, batch: model.generate(batch["features"])}
