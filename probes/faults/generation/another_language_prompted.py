from typing import Any

from diagnose import fault
from diagnose.engine.context import NotApplicable
from probes.faults.kit.changes import Facts
from probes.faults.kit.generation_changes import generated, set_generation
from probes.faults.kit.model_parts import decoder_of


def _prompt_of(facts: Facts) -> list[int]:
    """What the decoder is given first, row by row, while generating."""
    heard: list[int] = []

    def hear(module: Any, given: Any, named: dict[str, Any]) -> None:
        ids = named.get("input_ids", given[0] if given else None)
        heard.extend(ids.flatten().tolist() if ids is not None else ())

    handle = decoder_of(facts).register_forward_pre_hook(hear, with_kwargs=True)
    try:
        generated(facts)
    finally:
        handle.remove()
    return heard


@fault(
    "generation is told another language than the labels begin with",
    "GEN003",
    lambda facts: 9 in facts["model"].generation_config.lang_to_id.values(),
    ("whisper",),
)
def another_language_prompted(facts: Facts) -> Facts:
    usual = _prompt_of(facts)
    broken = set_generation(facts, lang_to_id={"<|vi|>": 9})
    if _prompt_of(broken) == usual:
        raise NotApplicable("its generation does not take its language from generation_config")
    return broken
