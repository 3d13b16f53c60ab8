"""What the names of metrics say: which fall as the model learns, which rise, and how bad is as bad as chance."""

from collections.abc import Sequence
from dataclasses import dataclass

from diagnose.records import Records
from probes.reporting.trend_tests import initial_median, p_value_of_rise, recent_median

RISING = ("rouge", "bleu", "chrf", "acc", "f1", "meteor", "match", "precision", "recall")
ERRORS = ("wer", "cer", "mer", "ter")
TEXTS = ("rouge", "bleu")  # scores that are near zero for texts without relation
# The references of a set in another order, ten seeds of 200 rows each of the demo's sentences and of English sentences:
# WER 97 to 122, BLEU 0.3 to 6.5, ROUGE-1 5 to 17; one and the same text for all rows: WER 87 to 91.
BAD_ERRORS, BAD_SCORES = 0.9, 0.02
BETTER, ORDERED = 0.03, 0.05  # of the scale; the chance of such an order
HIGH_LOSS = 1.0  # nats: the right token has a chance of 0.37, so an error rate of 1 is a fraction and no percent


@dataclass(frozen=True)
class Worst:
    """The values of a metric that are no better than chance, on its own scale: 1 or 100."""

    error: bool
    scale: float

    def holds(self, value: float) -> bool:
        return value >= BAD_ERRORS * self.scale if self.error else 0 <= value <= BAD_SCORES * self.scale

    def improves(self, values: Sequence[float]) -> bool:
        """Whether these are on their way out of it: by more than chance, from their first third to their last."""
        rising = [-value for value in values] if self.error else list(values)
        third = max(1, len(values) // 3)
        gain = recent_median(rising, third) - initial_median(rising, third)
        return gain > BETTER * self.scale and (len(values) < 4 or p_value_of_rise(rising) < ORDERED)

    @property
    def stated(self) -> str:
        bound = (BAD_ERRORS if self.error else BAD_SCORES) * self.scale
        return f"{bound:g} or {'higher' if self.error else 'lower'}"


def is_error_rate(name: str) -> bool:
    return name.lower().endswith(ERRORS)


def is_score(name: str) -> bool:
    return any(word in name.lower() for word in RISING)


def worst_of(records: Records, name: str) -> Worst | None:
    """The worst values of a metric over texts; None where its name or its scale is not known."""
    values = records.series(f"evaluation.{name}").values
    if is_error_rate(name) and (scale := _scale(records, values)):
        return Worst(True, scale)
    if any(word in name.lower() for word in TEXTS):
        others = [v for one in records.evaluated if is_score(one) for v in records.series(f"evaluation.{one}").values]
        percent = max((abs(value) for value in others), default=0.0) > 1
        return Worst(False, 100.0 if percent else 1.0)
    return None


def _scale(records: Records, values: tuple[float, ...]) -> float | None:
    losses = records.finite_part.series("loss").values
    if max(values, default=0.0) > 10:
        return 100.0
    return 1.0 if losses and recent_median(losses) > HIGH_LOSS else None


def why_wrong(name: str, value: float, always: bool) -> str:
    """What is wrong with a figure that stands still; nothing for one at its best, or of which nobody knows."""
    error = is_error_rate(name)
    if name == "loss":
        return "a model that trains never gives the same loss twice"
    if not error and not is_score(name):
        return ""
    if value in (1.0, 100.0) if error else value == 0:
        return "its worst possible value"
    best = value == 0 if error else value in (1.0, 100.0)
    return "it never changed, and the training loss is still high" if always and not best else ""
