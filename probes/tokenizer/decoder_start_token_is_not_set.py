from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.first_step.types import FirstStep
from probes.facts.tokenizer.types import SpecialTokens


@probe(id="TOK007", stage=Stage.TOKENIZER, severity=Severity.ERROR, explains=("LOS*", "GRD*", "PRE*", "LRN*", "GEN*"))
def decoder_start_token_is_not_set(special_tokens: SpecialTokens, first_step: FirstStep | None = None) -> Findings:
    """decoder_start_token_id is not set on an encoder-decoder model."""
    if special_tokens.encoder_decoder and special_tokens.start is None:
        raised = first_step is None or first_step.failure is not None
        yield Finding(
            where="model.config.decoder_start_token_id",
            message="it is not set on the top-level config of this encoder-decoder model, expected a token id"
            + ("" if raised else "; the batches have decoder inputs, but generation has none"),
            fix="set decoder_start_token_id, pad_token_id and eos_token_id on model.config, not on its decoder's",
            measured={"raised": raised},
            severity=None if raised else Severity.WARNING,
        )
