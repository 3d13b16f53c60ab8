"""How much of each row of labels the loss scores."""

from diagnose.common.provider import provider
from probes.facts.labels.types import LabelCoverage, LabelRow


@provider(reported=True)
def label_coverage(label_rows: tuple[LabelRow, ...]) -> LabelCoverage:
    """What the loss scores of each row."""
    return LabelCoverage(tuple((row.where, row.length, row.scored, row.padding) for row in label_rows))
