"""What a metric function is to be tried with: the rows, and the form in which its run hands them over."""

from collections.abc import Sequence
from typing import Any

from probes.facts.core.tokens import encoder_of
from probes.facts.core.types import SpecialIds
from probes.facts.generation.metric_trial import MetricTrialRunner, distinct
from probes.facts.labels.types import LabelRow


def trial_of(
    compute: Any,
    rows: Sequence[LabelRow],
    special: SpecialIds,
    classes: int,
    generate: Any,
    decode: Any,
    tokenizer: Any,
) -> MetricTrialRunner | None:
    """Ids where the evaluation generates, else scores. A plain function may want classes or texts instead."""
    single = max(row.length for row in rows) == 1
    kept = distinct([token for token in row.ids if token >= 0] for row in rows)
    if len(kept) < 2:
        return None
    forms: tuple[str, ...] = ("ids", "texts") if generate is not None else ("logits", "ids")
    if decode is None and generate is not None:
        forms = forms[:1]
    return MetricTrialRunner(
        compute=compute,
        rows=kept,
        single=single,
        classes=max(classes, max(map(max, kept)) + 1),
        padding=next(iter(special.padding), special.end or 0),
        forms=forms,
        decode=decode if generate is not None else None,
        encode=encoder_of(tokenizer) if callable(tokenizer) else None,
    )
