from diagnose import fault
from probes.faults.changes import Facts
from probes.faults.settings import argument, with_arguments


@fault(
    id="learning_rate_as_text",
    breaks="the learning rate is text, as YAML reads 1e-4",
    named_by="CFG020",
    proof=lambda facts: isinstance(argument(facts, "learning_rate"), str),
)
def learning_rate_as_text(facts: Facts) -> Facts:
    return with_arguments(facts, learning_rate="1e-4")
