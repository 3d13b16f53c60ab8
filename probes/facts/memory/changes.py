"""What would lower the peak: each change with the peak that it leads to and its cost in time."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from diagnose.engine.context import NotApplicable
from probes.facts.core.batch_rows import CannotSplitBatch, rows_of_batch, select_rows
from probes.facts.core.step_setup import StepSetup
from probes.facts.memory.batches import LONGEST, MEDIAN
from probes.facts.memory.evaluation_types import EvaluationSettings
from probes.facts.memory.fake_weights import adafactor_state, eight_bit_adam_state
from probes.facts.memory.predict import predict
from probes.facts.memory.trials import MemoryTrial, NamedChange, SettingNames, with_evaluation, with_options
from probes.facts.memory.types import (
    STEP,
    MemoryChange,
    MemoryLimit,
    MemoryPlan,
    MemoryPrediction,
)


class ChangeRanking:
    """Predicts each change once, alone and together."""

    def __init__(
        self,
        setup: StepSetup,
        batches: Mapping[str, Any],
        prediction: MemoryPrediction,
        evaluation: EvaluationSettings,
        limit: MemoryLimit,
        names: SettingNames,
    ) -> None:
        self.setup, self.batches, self.now, self.limit, self.names = setup, batches, prediction, limit, names
        self.start = MemoryTrial(batches[LONGEST], prediction.options, evaluation)
        self._found = {(id(self.start.batch), prediction.options, evaluation): (prediction, self.start.batch)}
        self.shapes = [p.shape for p in setup.model.parameters() if p.requires_grad]

    def plan(self) -> MemoryPlan:
        """Changes that fit come first, the fastest of them before the others."""
        changes = [self._predicted(change.setting, self._apply(change), change.cost) for change in self._changes()]
        lower = [one for one in changes if one is not None and one.peak < self.now.peak]
        ranked = sorted(lower, key=lambda one: (not one.fits, one.time if one.fits else one.peak, one.setting))
        together = None if self.fits(self.now.peak) or any(one.fits for one in ranked) else self._together()
        return MemoryPlan(self.now, self.limit, tuple(ranked), together)

    def fits(self, peak: int) -> bool:
        return peak <= self.limit.usable

    def _apply(self, change: NamedChange) -> MemoryTrial | None:
        try:
            return change.apply(self.start)
        except CannotSplitBatch:
            return None

    def _together(self) -> MemoryChange | None:
        """In the order of what they cost, until it fits."""
        trial, found = self.start, None
        settings: list[str] = []
        for change in self._changes(alone=False):
            try:
                trial = change.apply(trial)
            except CannotSplitBatch:
                continue
            found = self._predicted(", ".join([*settings, change.setting]), trial, change.cost)
            settings.append(change.setting)
            if found is not None and found.fits:
                return found
        return found

    def _changes(self, alone: bool = True) -> Iterator[NamedChange]:
        names, options, model = self.names, self.now.options, self.setup.model
        rows = self._items()
        if rows > 2 and alone:
            yield NamedChange(names.batch(rows // 2, 2), lambda trial: self._cut(trial, rows // 2))
        if rows > 1:
            yield NamedChange(names.batch(1, rows), lambda trial: self._cut(trial, 1))
        if not options.checkpointing and getattr(model, "supports_gradient_checkpointing", False):
            yield NamedChange(names.checkpointing, with_options(checkpointing=True))
        if options.precision == "fp32" and options.gpu:
            yield NamedChange(names.bf16, with_options(precision="bf16"))
        if MEDIAN in self.batches and alone:
            yield NamedChange(names.length, lambda trial: replace(trial, batch=self.batches[MEDIAN]), "longer rows go")
        if alone:  # together with others the one that needs no further package
            yield NamedChange(names.eight_bit, lambda trial: replace(trial, optimizer="8bit"), "needs bitsandbytes")
        yield NamedChange(names.adafactor, lambda trial: replace(trial, optimizer="adafactor"), "no momentum")
        if _trains_encoder(model):
            yield NamedChange(names.freeze, with_options(freeze_encoder=True), "the encoder does not learn")
        if self.start.evaluation.beams > 1:
            yield NamedChange(names.beams, with_evaluation(beams=1), "greedy search")
        if self.start.evaluation.tokens and self.now.peak_phase != STEP:
            yield NamedChange(names.generate, with_evaluation(tokens=0), "no WER or BLEU in evaluations")
        if self.start.evaluation.logits:
            yield NamedChange("preprocess_logits_for_metrics", with_evaluation(logits=0))

    def _items(self) -> int:
        try:
            return rows_of_batch(self.start.batch, self.setup.labels_of(self.start.batch)) // self.names.rows_per_item
        except CannotSplitBatch:
            return 1

    def _cut(self, trial: MemoryTrial, items: int) -> MemoryTrial:
        """The first items; a batch for two tasks holds them twice, one task after the other."""
        per_item, now = self.names.rows_per_item, self._items()
        rows = [task * now + item for task in range(per_item) for item in range(items)]
        batch = select_rows(trial.batch, rows, now * per_item)
        return replace(trial, batch=batch, parts=-(-now // items), options=replace(trial.options, accumulates=True))

    def _predicted(self, setting: str, trial: MemoryTrial | None, cost: str) -> MemoryChange | None:
        if trial is None:
            return None
        key = (id(trial.batch), trial.options, trial.evaluation)
        if key not in self._found:  # an optimizer changes nothing but its state
            try:
                found = self._lower_prediction(trial)
            except NotApplicable:  # such as batch norm over one row: the change is not possible
                return None
            self._found[key] = found, trial.batch
        found = self._found[key][0]
        peak = max(found.phases.values())
        if trial.optimizer:
            shapes = self.shapes
            state = adafactor_state(shapes) if trial.optimizer == "adafactor" else eight_bit_adam_state(shapes)
            peak += min(0, state - found.step.kinds.get("optimizer state", 0))
        time = trial.parts * found.step.flops / max(1.0, self.now.step.flops)
        return MemoryChange(setting, peak, round(time, 2), cost, self.fits(peak))

    def _lower_prediction(self, trial: MemoryTrial) -> MemoryPrediction:
        """The step alone, where its peak stays above what the other phases take now."""
        alone = EvaluationSettings(evaluates=False, saves=False)
        found = predict(self.setup, LONGEST, trial.batch, trial.options, alone)
        others = [peak for phase, peak in self.now.phases.items() if phase != STEP]
        if found.peak >= max(others, default=0):
            return found
        return predict(self.setup, LONGEST, trial.batch, trial.options, trial.evaluation)


def _trains_encoder(model: Any) -> bool:
    encoder = getattr(model, "get_encoder", lambda: None)()
    return encoder is not None and any(parameter.requires_grad for parameter in encoder.parameters())
