from typing import Any

from diagnose import fault
from probes.faults.kit.changes import HF_MODELS, Facts
from probes.faults.kit.generation_changes import arguments_of_generate


def _samples(facts: Facts) -> bool:
    arguments = arguments_of_generate(facts)
    return bool(arguments.get("do_sample") or arguments.get("temperature"))


@fault("the evaluation samples", "GEN013", _samples, HF_MODELS)
def sampling_left_on(facts: Facts) -> Facts:
    """Whisper samples where it is given a temperature, the others where they are told to."""

    def generate(model: Any, batch: Any) -> Any:
        how: dict[str, Any] = {"temperature": 0.9} if "input_features" in batch else {"do_sample": True}
        usual = model.generate
        model.generate = lambda *inputs, **named: usual(*inputs, **{**named, **how})
        try:
            return facts["generate"](model, batch)
        finally:
            del model.generate

    return {**facts, "generate": generate}
