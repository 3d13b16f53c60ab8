"""Overfits a few rows, and stops as soon as it is certain whether that can be done."""

import time

from probes.facts.overfit.attempt_state import MOST, AttemptState
from probes.facts.overfit.ctc_calls import frame_spread

CERTAIN = 3.0  # nats: the labels are twenty times as likely with their own inputs
IGNORED = 0.25  # of what it costs not to know the rows: a model that uses its input pays more than all of it
ROUNDING = 1e-5  # nats for each label: sums in another order
SAME = 1e-5  # of the scores' spread: float32 leaves 1e-6, and a Whisper at random weights moves by 1e-2
STILL = 1e-3  # nats: scores of frames that are the same but for rounding
CHANGES = 4  # of the labels: enough to look closer
ALIKE = 0.01  # of all that was learnt: rows aligned by heart lose most of it with the frames of others
SLOW = 0.1  # of what is left, gained in the second half of the updates: it would take hundreds more


class OverfitAttempt(AttemptState):
    """One attempt, from the weights as they are. `ended`: learnt, stuck, still falling, out of time."""

    def learn(self) -> "OverfitAttempt":
        while not self.ended:
            self.ended = self._step()
        if 0 < self.changes < CHANGES and self.ended != "stuck":  # too few to have been looked at
            self.ended = self.find_redrawn_labels() or self.ended
        return self

    def _step(self) -> str:
        if time.perf_counter() > self.subject.until:
            return "out of time"
        if len(self.curve) >= self.max_updates:
            if self._ignores_input_with_ctc():
                return self.find_redrawn_labels() or "stuck"
            dead = self.totals.ctc and all(frame_spread(call) <= STILL for call in self.totals.ctc)
            still = dead or self.rate_control.stands or self._is_slow() or self._ignores_input(IGNORED)
            return self._give_up() if still else "still falling"
        loss = self.run_pass()
        self.curve.append(loss)
        if self.changes >= CHANGES and (drawn := self.find_redrawn_labels()):
            return drawn
        if not self.stepper.weights or (not len(self.curve) % 10 and self._ignores_input(0.0)):
            return "stuck"
        if self._is_done() and self._uses_input():
            return "learnt"
        if self._is_exhausted(loss) or (len(self.curve) == MOST // 2 and self._is_slow() and self._is_above_unigram()):
            return self._give_up()
        self.stepper.move(self.rate_control.rate)
        return ""

    def _is_slow(self) -> bool:
        losses = self.cross_entropies
        return bool(losses) and losses[len(losses) // 2] - losses[-1] < SLOW * losses[-1]

    def _is_above_unigram(self) -> bool:
        """Not even the label frequencies are learned: a healthy model is past that after some twenty updates."""
        loss, statistics = self.totals.cross_entropy, self.unigram
        return loss is not None and statistics is not None and loss > statistics

    def _give_up(self) -> str:
        """CTC may wait for long in its blank phase: that is no standstill while its frames differ."""
        if self._starts_to_use_input():
            return ""
        waits = self.totals.ctc and self.aligns(1.5) and any(frame_spread(call) > STILL for call in self.totals.ctc)
        if not waits:
            return self.find_redrawn_labels() or "stuck"
        return "learnt" if self.totals.accuracy == 1.0 else "still falling"

    def _is_done(self) -> bool:
        """All labels right, far below what their statistics allow, and CTC no longer where any input would do."""
        loss, floor, statistics = self.totals.cross_entropy, self.prefix_entropy, self.unigram
        if loss is None or floor is None or statistics is None:
            return self.aligns(0.5) if self.totals.ctc else self.curve[-1] < 0.05 * self.curve[0]
        if self.subject.reads_labels:
            return loss < floor + 0.1 * (statistics - floor)
        return self.totals.accuracy == 1.0 and loss < 0.5 * statistics and self.aligns(0.9)

    def _uses_input(self) -> bool:
        """With other inputs it predicts other classes, and these labels are less likely by far."""
        self.evaluate_swapped()
        if self.swapped is None or self.totals.cross_entropy is None or not self.prefix_entropy:
            return True
        swapped = self.swapped[1]
        worse = swapped.accuracy != 1.0 and swapped.nats - self.totals.nats > CERTAIN
        return swapped.cross_entropy is None or worse or self._knows_all_labels()

    def _knows_all_labels(self) -> bool:
        """All labels are learned; if other inputs change nothing, from something else than the input."""
        return self.totals.cross_entropy is not None and self.totals.cross_entropy < 0.1 * (self.prefix_entropy or 0.0)

    def _ignores_input(self, share: float) -> bool:
        """As low as it gets without the input, and other inputs cost nothing, or this share of the floor."""
        loss, floor = self.totals.cross_entropy, self.prefix_entropy
        if not floor or loss is None or loss > 1.5 * floor or self.totals.ctc or self.subject.reads_labels:
            return False
        self.evaluate_swapped()
        costs = None if self.swapped is None else self.swapped[1].nats - self.totals.nats
        same = costs is not None and abs(costs) <= max(share, ROUNDING / floor) * floor * self.totals.tokens
        return same and (share > 0.0 or self.ignores_inputs(SAME))

    def _ignores_input_with_ctc(self) -> bool:
        """No score moves with other inputs; or CTC knows its targets, and the loss is the same with other inputs."""
        if not self.totals.ctc or self.subject.reads_labels:
            return False
        if not self.aligns(0.5):
            return self.ignores_inputs(SAME)
        self.evaluate_swapped()
        own = self.stepper.loss()
        self.reader.clear()
        return self.swapped is not None and self.swapped[0] - own <= ALIKE * (self.curve[0] - own)

    def _starts_to_use_input(self) -> bool:
        """Once, as many updates more where all is known but the rows, and other inputs cost something: it may learn."""
        if self.prolonged or not self._ignores_input(IGNORED) or self.swapped is None:
            return False
        self.prolonged, own = True, self.stepper.loss()
        self.reader.clear()
        if self.swapped[0] - own <= ROUNDING:
            return False
        self.max_updates += len(self.curve)
        self.rate_control.resume()
        return True

    def _is_exhausted(self, loss: float) -> bool:
        """Back to the best weights after a leap, slower after a standstill; True where nothing helps any more."""
        advice = self.rate_control.advise(loss, self.curve[0])
        if advice == "save":
            self.stepper.save()
        elif advice == "back":
            self.stepper.back()
        return advice == "stop"
