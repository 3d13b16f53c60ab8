"""The metrics of the evaluation, each with value, target, rows and signature."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING

from trainer.evaluation.normalize_text import normalize

if TYPE_CHECKING:
    from sacrebleu.metrics import BLEU, CHRF

NORMALIZED = "norm:gonogo.1"
LOWER_IS_BETTER = ("wer", "cer")
ROUGES = ("rouge1", "rouge2", "rougeL")
LABELS = {"wer": "WER", "cer": "CER", "bleu": "BLEU", "chrf": "chrF"} | {f"rouge{n}": f"ROUGE-{n}" for n in "12L"}


@dataclass(frozen=True)
class Score:
    """One metric, 0 to 100 (an error rate may exceed it); None when there was nothing to measure.

    `bound` is the target, which the value should be below or above; None if there is none.
    """

    name: str
    value: float | None
    rows: int
    signature: str
    bound: float | None = None
    baseline: float | None = None  # the value of the trivial answer
    baseline_name: str = ""

    @property
    def label(self) -> str:
        return LABELS[self.name]

    @property
    def target(self) -> str | None:
        """The target as it is written: `< 15`."""
        return None if self.bound is None else f"{'<' if self.name in LOWER_IS_BETTER else '>'} {self.bound:g}"

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None without a target or a value."""
        if self.bound is None or self.value is None:
            return None
        return self.value < self.bound if self.name in LOWER_IS_BETTER else self.value > self.bound


def wer(references: Sequence[str], predictions: Sequence[str]) -> Score:
    """Word errors per hundred reference words; insertions into empty references count."""
    import jiwer

    result = jiwer.process_words(_normal(references), _normal(predictions))
    return _error_rate("wer", result, len(references))


def cer(references: Sequence[str], predictions: Sequence[str]) -> Score:
    """Character errors per hundred reference characters."""
    import jiwer

    result = jiwer.process_characters(_normal(references), _normal(predictions))
    return _error_rate("cer", result, len(references))


def bleu(references: Sequence[str], predictions: Sequence[str]) -> Score:
    """Corpus BLEU by sacrebleu."""
    from sacrebleu.metrics import BLEU

    return _corpus_score("bleu", BLEU(), references, predictions)


def chrf(references: Sequence[str], predictions: Sequence[str]) -> Score:
    """Corpus chrF by sacrebleu."""
    from sacrebleu.metrics import CHRF

    return _corpus_score("chrf", CHRF(), references, predictions)


def rouge(references: Sequence[str], predictions: Sequence[str]) -> tuple[Score, ...]:
    """ROUGE-1, ROUGE-2 and ROUGE-L: mean F over rows, on words that keep their tone marks."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(ROUGES, tokenizer=_WordTokenizer())
    pairs = list(zip(_normal(references), _normal(predictions), strict=True))
    rows = [scorer.score(reference, prediction) for reference, prediction in pairs]
    # An exact row is right, also where it is too short to hold a pair of words.
    exact = [reference == prediction for reference, prediction in pairs]
    signature = f"f1:mean|exact:1|tok:words|{NORMALIZED}|rouge-score:{version('rouge-score')}"

    def mean(name: str) -> float | None:
        figures = [1.0 if same else row[name].fmeasure for row, same in zip(rows, exact, strict=True)]
        return 100 * sum(figures) / len(figures) if figures else None

    return tuple(Score(name, mean(name), len(rows), signature) for name in ROUGES)


def scores_of_task(task: str, references: Sequence[str], predictions: Sequence[str]) -> tuple[Score, ...]:
    """The metrics of one task."""
    if task == "transcribe":
        return wer(references, predictions), cer(references, predictions)
    if task == "translate":
        return bleu(references, predictions), chrf(references, predictions)
    return rouge(references, predictions)


class _WordTokenizer:
    """rouge-score's own tokenizer keeps a-z and 0-9 only, which destroys Vietnamese."""

    def tokenize(self, text: str) -> list[str]:
        return normalize(text).split()


def _normal(texts: Sequence[str]) -> list[str]:
    return [normalize(text) for text in texts]


def _error_rate(name: str, result: object, rows: int) -> Score:
    hits, wrong, missed, added = (
        getattr(result, part) for part in ("hits", "substitutions", "deletions", "insertions")
    )
    expected = hits + wrong + missed
    value = 100 * (wrong + missed + added) / expected if expected else None
    return Score(name, value, rows, f"{NORMALIZED}|jiwer:{version('jiwer')}")


def _corpus_score(name: str, metric: "BLEU | CHRF", references: Sequence[str], predictions: Sequence[str]) -> Score:
    if not references:
        return Score(name, None, 0, NORMALIZED)
    value = min(100.0, metric.corpus_score(_normal(predictions), [_normal(references)]).score)
    return Score(name, value, len(references), f"{metric.get_signature()}|{NORMALIZED}")
