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
        message=f"generation begins with {given}, the labels teach {expected}: "
        + (
            f"{first.names[place]} stands there twice" if doubled else f"{first.names[place + 1]} is never taught there"
        ),
        fix="take the start token out of the forced or given prompt: generate puts it there itself"
        if doubled
        else "give generate the language, task and prompt that the labels begin with, or none",
        measured={"given": first.ids[place + 1], "taught": first.labels[place], "rows": len(wrong)},
    )
