"""Whether rows are still known in the mode that the run trains in."""

from probes.measured.learning import Overfit, Training


def better(trial: Training, run: Overfit) -> bool:
    """In training mode worse with other inputs, by a quarter of `blind`; and below the entropy of the labels, or worse
    by all of `blind` and a tenth of itself, in every draw."""
    if trial.book is None or not run.unigram:
        return trial.loss < run.first
    if trial.exchanged is None or not run.blind:
        return trial.book < run.unigram
    worse = trial.exchanged - trial.book
    strong = trial.steady and worse > max(run.blind, 0.1 * trial.book)
    return worse > 0.25 * run.blind and (trial.book < run.unigram or strong)
