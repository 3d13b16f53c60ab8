from collections.abc import Iterator

from diagnose import Finding, Severity, Stage, probe
from probes.facts.generation.types import GatheredLogits

WHOLE = 0.8  # of the memory: the model and the system need the rest
TIGHT = 0.4  # gathering copies the array once: twice this does not fit


@probe(id="GEN017", stage=Stage.GENERATION, severity=Severity.ERROR)
def evaluation_keeps_all_scores(kept_logits: GatheredLogits) -> Iterator[Finding]:
    """An evaluation keeps the scores of every token of the whole evaluation set, more than the memory holds."""
    share = kept_logits.bytes / kept_logits.memory
    if share > TIGHT:
        yield Finding(
            where="preprocess_logits_for_metrics",
            message=f"{kept_logits.rows} rows × {kept_logits.length} tokens × {kept_logits.vocabulary} scores × "
            f"{kept_logits.width} bytes are {kept_logits.bytes / 1e9:.1f} GB of {kept_logits.memory / 1e9:.1f}",
            fix="set predict_with_generate=True, or keep argmax alone by preprocess_logits_for_metrics",
            measured={"bytes": kept_logits.bytes, "memory": kept_logits.memory},
            severity=None if share > WHOLE else Severity.WARNING,
        )
