"""Overfits a few rows, and stops as soon as it is certain whether that can be done."""

from probes.facts.overfit.attempt_state import MOST
from probes.facts.overfit.entropy_floors import frame_spread
from probes.facts.overfit.outcome import ROUNDING, InputUse

IGNORED = 0.25  # of what it costs not to know the rows: a model that uses its input pays more than all of it
STILL = 1e-3  # nats: scores of frames that are the same but for rounding
CHANGES = 4  # of the labels: enough to look closer
SLOW = 0.1  # of the whole fall: one that goes on as it began gains half of it in the second half of the updates
NOTICEABLE = 0.01  # of the first loss: less in so many updates is told from nothing by no plot
LEARNT = 0.05  # of the first loss, where nobody knows how low it can go


class OverfitAttempt(InputUse):
    """One attempt, from the weights as they are. `ended`: learnt, stuck, still falling, not finite."""

    def learn(self) -> "OverfitAttempt":
        self.ended = self.look_for_draws()
        while not self.ended:
            self.ended = self._step()
        if 0 < self.changes < CHANGES and self.ended != "stuck":  # too few to have been looked at
            self.ended = self.find_redrawn_labels() or self.ended
        return self

    def _step(self) -> str:
        if len(self.curve) >= self.max_updates:
            if self.ignores_input_with_ctc():
                return self.find_redrawn_labels() or "stuck"
            dead = self.totals.ctc and all(frame_spread(call) <= STILL for call in self.totals.ctc)
            still = dead or self.rate_control.stands or self._is_slow() or self.ignores_input(IGNORED)
            return self._give_up() if still else "still falling"
        loss = self.run_pass()
        self.curve.append(loss)
        if self.nonfinite is not None:
            return "not finite"
        if self.changes >= CHANGES and (drawn := self.find_redrawn_labels()):
            return drawn
        if not self.stepper.weights or (not len(self.curve) % 10 and self.ignores_input(0.0)):
            return "stuck"
        if self._is_done() and self.uses_input():
            return "learnt"
        if self._is_exhausted(loss) or (len(self.curve) == MOST // 2 and self._is_slow() and self._is_above_unigram()):
            return self._give_up()
        self.stepper.move(self.rate_control.rate)
        return ""

    def _is_slow(self) -> bool:
        """In the second half of its updates it gained too little to call it falling."""
        losses = self.cross_entropies or self.curve
        gained = losses[len(losses) // 2] - losses[-1]
        return gained < max(SLOW * (losses[0] - losses[-1]), NOTICEABLE * abs(losses[0]))

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
            return self.aligns(0.5) if self.totals.ctc else 0 <= self.curve[-1] < LEARNT * self.curve[0]
        if self.subject.reads_labels:
            return loss < floor + 0.1 * (statistics - floor)
        return self.totals.accuracy == 1.0 and loss < 0.5 * statistics and self.aligns(0.9)

    def _starts_to_use_input(self) -> bool:
        """Once, as many updates more where all is known but the rows, and other inputs cost something: it may learn."""
        if self.prolonged or not self.ignores_input(IGNORED) or self.swapped is None:
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
        if advice == "stop" and self.stepper.saved:  # what is judged are the best weights, not the last leap
            self.stepper.back()
            self.curve.append(self.run_pass())
        return advice == "stop"
