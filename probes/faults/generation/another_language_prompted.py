from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts
from probes.faults.kit.generation_changes import generated, set_generation
from probes.faults.kit.model_parts import decoder_of


def _decoder_inputs(facts: Facts) -> list[int]:
    """The ids that the decoder gets, row by row, while generating."""
    tokens: list[int] = []

    def note(module: Any, inputs: Any, named: dict[str, Any]) -> None:
        ids = named.get("input_ids", inputs[0] if inputs else None)
        tokens.extend(ids.flatten().tolist() if ids is not None else ())

    handle = decoder_of(facts).register_forward_pre_hook(note, with_kwargs=True)
    try:
        generated(facts)
    finally:
        handle.remove()
    return tokens


@fault(
    "generation uses another language than the labels",
    "GEN003",
    lambda facts: 9 in facts["model"].generation_config.lang_to_id.values(),
    ("whisper",),
)
def another_language_prompted(facts: Facts) -> Facts:
    usual = _decoder_inputs(facts)
    broken = set_generation(facts, lang_to_id={"<|vi|>": 9})
    if _decoder_inputs(broken) == usual:
        raise NotApplicable("its generation does not take its language from generation_config")
    return broken
