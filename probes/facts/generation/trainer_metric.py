"""Calls a Trainer's metric through its own evaluation, with predictions of known quality in the model's place."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from diagnose.engine.context import NotApplicable
from probes.facts.core.fork import CannotFork, ChildRaised, run_in_fork
from probes.facts.core.progress_log import silence_transformers
from probes.facts.core.require import require
from probes.facts.generation.known_predictions import Choose, KnownPredictions, MetricCall, swapped
from probes.facts.generation.metric_trial import Rows, bare_texts
from probes.facts.generation.metric_types import MetricTrial
from probes.facts.generation.trainer_evaluation import some_rows

ROWS, BATCH = 8, 4  # two batches, so that one may be wider than the other


@dataclass(frozen=True)
class TrainerMetricTrial:
    """All that a trial needs; see KnownPredictions."""

    trainer: Any
    padding: int
    start: int | None = None
    shift: int = 0
    decode: Callable[[Any], list[str]] | None = None
    encode: Callable[..., list[int]] | None = None

    def run(self) -> MetricTrial:
        """The Trainer and its model are changed: this is for a child."""
        form = "ids" if getattr(self.trainer.args, "predict_with_generate", False) else "logits"
        known, perfect = self._evaluated(lambda rows: rows)
        clean, count = perfect.without_ignored(self.padding), len(known.rows)
        if perfect.failure:
            return MetricTrial(form, count, failure=perfect.failure, bare=clean is None)
        others, other = self._evaluated(swapped)
        if not others.differs:
            raise NotApplicable("the labels of the evaluation rows are all equal")
        if other.failure:
            return MetricTrial(form, count, failure=other.failure)
        stripped, example = self._stripped(known.rows) if form == "ids" else ({}, ("", ""))
        return MetricTrial(form, count, perfect.figures or {}, clean or {}, other.figures or {}, stripped, example)

    def _stripped(self, rows: Rows) -> tuple[dict[str, float], tuple[str, str]]:
        bare, example = bare_texts(rows, self.padding, self.decode, self.encode)
        if not bare:
            return {}, example
        plain = {tuple(row): words for row, words in zip(rows, bare, strict=True)}
        return self._evaluated(lambda rows: [plain[tuple(row)] for row in rows])[1].figures or {}, example

    def _evaluated(self, choose: Choose) -> tuple[KnownPredictions, MetricCall]:
        trainer, model = self.trainer, self.trainer.model
        known = KnownPredictions(choose, self.padding, self.start, self.shift)
        call, step = MetricCall(trainer.compute_metrics), trainer.prediction_step

        def prediction_step(model: Any, inputs: Any, *args: Any, **kwargs: Any) -> Any:
            known.take(inputs["labels"])
            return step(model, inputs, *args, **kwargs)

        trainer.prediction_step, trainer.compute_metrics, model.generate = prediction_step, call, known.ids
        trainer.args.per_device_eval_batch_size = BATCH
        trainer.callback_handler.callbacks.clear()
        hook = model.register_forward_hook(lambda module, args, output: known.output(output))
        try:
            with silence_transformers():
                trainer.evaluate(some_rows(trainer, ROWS))
        except Exception:
            if not call.failure:
                raise
        finally:
            hook.remove()
            trainer.prediction_step, trainer.compute_metrics = step, call.compute
        if not known.used or (call.figures is None and not call.failure):
            raise NotApplicable("this evaluation does not use logits or generate for its predictions")
        return known, call


def run_in_child(trial: TrainerMetricTrial) -> MetricTrial:
    """What ends the evaluation before its metric is called is for another probe to tell."""
    try:
        return run_in_fork(trial.run)
    except ChildRaised as error:
        require(error.error != NotApplicable.__name__, error.message)
        raise NotApplicable(f"the evaluation does not call its metric: {error}") from error
    except CannotFork as reason:
        raise NotApplicable(str(reason)) from reason
