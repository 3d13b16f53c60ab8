from diagnose import fault
from probes.faults.kit.changes import Facts
from probes.faults.kit.model_parts import front_of


def _names(facts: Facts) -> tuple[str, ...]:
    front = {id(one) for one in front_of(facts).parameters()}
    return tuple(name for name, one in facts["model"].named_parameters() if id(one) not in front)


@fault(
    "the front trains although only what is behind it should",
    "PAR017",
    lambda facts: "trainable" in facts and any(one.requires_grad for one in front_of(facts).parameters()),
)
def unnamed_part_thawed(facts: Facts) -> Facts:
    return {**facts, "trainable": _names(facts)}
