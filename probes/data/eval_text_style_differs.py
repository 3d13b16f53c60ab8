from diagnose import Finding, Findings, Severity, Stage, probe
from probes.facts.text.types import TextStyle

SHARE = 0.5  # of the texts
SIGMAS = 4.5  # one-sided 3e-6; three habits are compared


@probe(id="DAT050", stage=Stage.DATA, severity=Severity.WARNING)
def eval_text_style_differs(text_styles: tuple[TextStyle, TextStyle]) -> Findings:
    """Evaluation texts differ from training texts in case, punctuation or digits."""
    train, other = text_styles
    for habit in ("capitals", "punctuation", "digits"):
        ours, theirs = getattr(train, habit), getattr(other, habit)
        pooled = (ours * train.texts + theirs * other.texts) / (train.texts + other.texts)
        spread = (pooled * (1 - pooled) * (1 / train.texts + 1 / other.texts)) ** 0.5
        if abs(ours - theirs) > max(SHARE, SIGMAS * spread):
            yield Finding(
                where="evaluation rows",
                message=f"{theirs:.0%} of the evaluation texts have {habit}, {ours:.0%} of the training texts",
                fix="normalize all texts in the same way before the split",
                measured={"train": ours, "evaluation": theirs},
            )
