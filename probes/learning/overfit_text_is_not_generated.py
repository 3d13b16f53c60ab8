from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.overfit.types import OverfitResult


# Where each label is the likeliest one after those before it, a greedy search says all of them. Beams, sampling and
# rules of generation may choose otherwise, and the generation stage names what is wrong with them: this only tells.
@probe(id="LRN012", stage=Stage.LEARNING, severity=Severity.NOTE)
def overfit_text_is_not_generated(overfit_verdict: OverfitResult) -> Findings:
    """Overfit text is not generated, although teacher forcing predicts every label correctly."""
    run = overfit_verdict
    wrong = [(text, reference) for text, reference in run.generated if text != reference]
    if not wrong or run.accuracy != 1.0 or run.reads_labels:
        return
    text, reference = wrong[0]
    yield Finding(
        where=run.where,
        message=f"teacher forcing predicts all {run.tokens} labels, but {len(wrong)} of {len(run.generated)} "
        f"generated texts differ: {text!r} instead of {reference!r}",
        fix="compare start token, EOS and suppressed tokens of generation with the labels: GEN001 to GEN009",
        measured={"texts": len(run.generated), "equal": run.generated_correctly},
    )
