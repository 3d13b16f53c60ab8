from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.generation.types import GatheredLogits

WHOLE = 0.8  # of the memory: the model and the system need the rest
TIGHT = 0.4  # gathering copies the array once: twice this does not fit


@probe(id="GEN017", stage=Stage.GENERATION, severity=Severity.ERROR)
def evaluation_keeps_all_logits(gathered_logits: GatheredLogits) -> Findings:
    """Evaluation keeps the logits of the whole evaluation set, which do not fit in memory."""
    share = gathered_logits.bytes / gathered_logits.memory
    if share > TIGHT:
        yield Finding(
            where="preprocess_logits_for_metrics",
            message=f"{gathered_logits.rows} rows × {gathered_logits.length} tokens × {gathered_logits.vocabulary} "
            f"logits × {gathered_logits.width} bytes need {gathered_logits.bytes / 1e9:.1f} GB of "
            f"{gathered_logits.memory / 1e9:.1f}",
            fix="set predict_with_generate=True, or return only the argmax from preprocess_logits_for_metrics",
            measured={"bytes": gathered_logits.bytes, "memory": gathered_logits.memory},
            severity=None if share > WHOLE else Severity.WARNING,
        )
