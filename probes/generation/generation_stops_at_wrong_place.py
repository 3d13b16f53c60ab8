from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.types import ForcedGeneration


@probe(id="GEN004", stage=Stage.GENERATION, severity=Severity.ERROR, explains=("GEN005", "GEN009"))
def generation_stops_at_wrong_place(forced_generation: ForcedGeneration) -> Findings:
    """Generation forced to output the labels stops before their EOS token or continues after it."""
    heard = forced_generation
    if heard.went_on:
        waits = f"it waits for {', '.join(map(str, heard.waits_for))}" if heard.waits_for else "it waits for none"
        yield Finding(
            where="generate",
            message=f"every row had said the labels' end token {heard.end} after {heard.needed} tokens and generation "
            f"went on; {waits}, expected to stop there",
            fix="give generation the labels' end token: generation_config.eos_token_id = tokenizer.eos_token_id",
            measured={"end": heard.end, "tokens": heard.needed},
        )
    elif heard.stopped is not None and heard.stopped < heard.needed:
        yield Finding(
            where="generate",
            message=f"generation stopped after {heard.stopped} tokens, before the longest row's end token; "
            f"its labels have {heard.needed}",
            fix="let generation run until every row has ended: raise its max_length, and stop on all rows, not on any",
            measured={"stopped": heard.stopped, "needed": heard.needed},
        )
