from typing import Any

from diagnose import fault
from probes.faults.kit.changes import Facts, start_of
from probes.faults.kit.generation_changes import prompt_of
from probes.faults.kit.model_parts import main_input


@fault(
    "generation is given the start token as a prompt, and begins with it twice",
    "GEN003",
    lambda facts: prompt_of(facts) == [start_of(facts)] * 2,
    ("e2e", "mt5"),
)
def start_given_twice(facts: Facts) -> Facts:
    def generate(model: Any, batch: Any) -> Any:
        inputs = batch[main_input(model, batch)]
        starts = inputs.new_full((len(inputs), 2), start_of(facts)).long()
        return model.generate(inputs, attention_mask=batch["attention_mask"], decoder_input_ids=starts)

    return {**facts, "generate": generate}
