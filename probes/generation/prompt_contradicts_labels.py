from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.types import ForcedGeneration


@probe(id="GEN003", stage=Stage.GENERATION, severity=Severity.ERROR, explains=("GEN00[4-9]", "GEN01*"))
def prompt_contradicts_labels(forced_generation: ForcedGeneration) -> Findings:
    """The decoder prompt in generation contradicts the tokens that the labels begin with."""
    wrong = [prompt for prompt in forced_generation.prompts if prompt.wrong is not None]
    if not wrong:
        return
    first = wrong[0]
    place = first.wrong or 0
    doubled = first.ids[place + 1] == first.ids[place]
    given, expected = " ".join(first.names), " ".join((first.names[0], *first.expected[: len(first.ids) - 1]))
    yield Finding(
        where=f"{first.where}, token {place + 1} of the prompt",
        message=f"generation starts with {given}, the labels start with {expected}: "
        + (
            f"{first.names[place]} is there twice"
            if doubled
            else f"{first.names[place + 1]} never occurs there in the labels"
        ),
        fix="remove the start token from the forced prompt: generate adds it"
        if doubled
        else "pass generate the language, task and prompt that the labels start with, or none",
        measured={"given": first.ids[place + 1], "taught": first.labels[place], "rows": len(wrong)},
    )
