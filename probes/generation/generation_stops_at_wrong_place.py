from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.types import ForcedGeneration
from probes.facts.settings.types import GenerationLimit


@probe(id="GEN004", stage=Stage.GENERATION, severity=Severity.ERROR, explains=("GEN005", "GEN009"))
def generation_stops_at_wrong_place(
    forced_generation: ForcedGeneration, generation_limit: GenerationLimit | None = None
) -> Findings:
    """Generation forced to output the labels stops before their EOS token or continues after it."""
    heard = forced_generation
    if heard.went_on:
        waits = f"its EOS token is {', '.join(map(str, heard.waits_for))}" if heard.waits_for else "it has no EOS token"
        yield Finding(
            where="generate",
            message=f"every row has the labels' EOS token {heard.end} after {heard.needed} tokens, but generation "
            f"continues; {waits}, expected to stop there",
            fix="use the labels' EOS token in generation: generation_config.eos_token_id = tokenizer.eos_token_id",
            measured={"end": heard.end, "tokens": heard.needed},
        )
    elif heard.ended_early:
        limited = generation_limit is not None and generation_limit.tokens < heard.needed
        yield Finding(
            where="generate",
            message=f"generation stops after {heard.stopped} tokens, before the EOS token of the longest row, whose "
            f"labels have {heard.needed}",
            fix="raise max_length, and stop only when all rows have ended",
            measured={"stopped": heard.stopped, "needed": heard.needed},
            severity=Severity.WARNING if limited else None,  # CFG009 counts how many rows the limit cuts
        )
