from typing import Any

from diagnose import fault
from probes.faults.kit.changes import THEIRS, Facts
from probes.faults.kit.generation_changes import asked_of_generate


def _samples(facts: Facts) -> bool:
    asked = asked_of_generate(facts)
    return bool(asked.get("do_sample") or asked.get("temperature"))


@fault("the evaluation samples", "GEN013", lambda facts: _samples(facts), THEIRS)
def sampling_left_on(facts: Facts) -> Facts:
    """Whisper samples where it is given a temperature, the others where they are told to."""
    usual = facts["generate"]

    def sampling(model: Any, batch: Any) -> Any:
        how: dict[str, Any] = {"temperature": 0.9} if "input_features" in batch else {"do_sample": True}
        whole = model.generate
        model.generate = lambda *given, **named: whole(*given, **{**named, **how})
        try:
            return usual(model, batch)
        finally:
            del model.generate

    return {**facts, "generate": sampling}
