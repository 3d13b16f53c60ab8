from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.generation.types import FreeGeneration

# What an error's text gives away about its cause, and the one thing to do about it.
CURES = (
    ("forced_decoder_ids", "set model.generation_config.forced_decoder_ids = None and give language and task instead"),
    ("no_timestamps_token_id", "set model.generation_config.no_timestamps_token_id to the id of <|notimestamps|>"),
    ("decoder_start_token_id", "set model.config.decoder_start_token_id and model.generation_config's"),
    ("model_kwargs", "hand only the model's inputs to generate: leave out the key that is named here"),
    ("lang_to_id", "give generation_config the tables lang_to_id and task_to_id of a multilingual Whisper"),
    ("index out of range", "keep generation_max_length within the decoder's table of positions"),
    ("maximum", "keep generation_max_length within the decoder's table of positions"),
)


@probe(id="GEN001", stage=Stage.GENERATION, severity=Severity.ERROR, explains=("GEN*",))
def generation_raises(generation_attempt: FreeGeneration) -> Iterator[Finding]:
    """Generation raises an error, so the first evaluation would end the run."""
    failure = generation_attempt.failure
    if failure is None:
        return
    file, _, line = failure.line.rpartition(":")
    text = failure.message.lower()
    cure = f"generate from this one batch by hand and mend {failure.line or 'the call'}"
    yield Finding(
        where=failure.module or "generate",
        message=f"{failure}; expected ids of tokens, so the first evaluation would end the run",
        fix=next((cure for word, cure in CURES if word in text), cure),
        measured={"error": failure.error, "module": failure.module, "shapes": failure.shapes, "trace": failure.trace},
        file=file or None,
        line=int(line) if line.isdigit() else None,
    )
