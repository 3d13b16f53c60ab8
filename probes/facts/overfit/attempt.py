"""Learns a few rows by heart and stops as soon as it is certain whether that can be done."""

import time

from probes.facts.overfit.attempt_state import MOST, AttemptState

CERTAIN = 3.0  # nats: the labels are twenty times as likely with their own inputs
DEAF = 0.25  # of what it costs not to know the rows: a listener pays more than all of it
ROUNDING = 1e-5  # nats for each label: sums in another order
SAME = 1e-5  # of the scores' spread: float32 leaves 1e-6, and a Whisper at random weights moves by 1e-2
STILL = 1e-3  # nats: scores of frames that are the same but for rounding
CHANGES = 4  # of the labels: enough to look closer
ALIKE = 0.01  # of all that was learnt: rows aligned by heart lose most of it with the frames of others
CREEPS = 0.1  # of what is left, gained in the second half of the updates: it would take hundreds more


class OverfitAttempt(AttemptState):
    """One attempt, from the weights as they are. `ended`: learnt, stuck, still falling, out of time."""

    def learn(self) -> "OverfitAttempt":
        while not self.ended:
            self.ended = self._step()
        if 0 < self.changes < CHANGES and self.ended != "stuck":  # too few to have been looked at
            self.ended = self.draws_anew() or self.ended
        return self

    def _step(self) -> str:
        if time.perf_counter() > self.subject.until:
            return "out of time"
        if len(self.curve) >= self.most:
            if self._is_deaf_with_ctc():
                return self.draws_anew() or "stuck"
            dead = self.seen.ctc and all(call.varies() <= STILL for call in self.seen.ctc)
            still = dead or self.pace.stands or self._creeps() or self._is_deaf(DEAF)
            return self._resigned() if still else "still falling"
        loss = self.look()
        self.curve.append(loss)
        if self.changes >= CHANGES and (drawn := self.draws_anew()):
            return drawn
        if not self.stepper.weights or (not len(self.curve) % 10 and self._is_deaf(0.0)):
            return "stuck"
        if self._is_done() and self._looks_at_input():
            return "learnt"
        if self._is_at_its_end(loss) or (len(self.curve) == MOST // 2 and self._creeps() and self._is_ignorant()):
            return self._resigned()
        self.stepper.move(self.pace.rate)
        return ""

    def _creeps(self) -> bool:
        return bool(self.books) and self.books[len(self.books) // 2] - self.books[-1] < CREEPS * self.books[-1]

    def _is_ignorant(self) -> bool:
        """Not even how frequent the labels are is known: a healthy model is past that after some twenty updates."""
        book, statistics = self.seen.book, self.unigram
        return book is not None and statistics is not None and book > statistics

    def _resigned(self) -> str:
        """CTC may wait for long in its blank phase: that is no standstill while its frames differ."""
        if self._begins_to_listen():
            return ""
        waits = self.seen.ctc and self.aligns(1.5) and any(call.varies() > STILL for call in self.seen.ctc)
        if not waits:
            return self.draws_anew() or "stuck"
        return "learnt" if self.seen.accuracy == 1.0 else "still falling"

    def _is_done(self) -> bool:
        """All labels right, far below what their statistics allow, and CTC no longer where any input would do."""
        book, floor, statistics = self.seen.book, self.blind, self.unigram
        if book is None or floor is None or statistics is None:
            return self.aligns(0.5) if self.seen.ctc else self.curve[-1] < 0.05 * self.curve[0]
        if self.subject.reads_labels:
            return book < floor + 0.1 * (statistics - floor)
        return self.seen.accuracy == 1.0 and book < 0.5 * statistics and self.aligns(0.9)

    def _looks_at_input(self) -> bool:
        """With other inputs it says other things, and these labels are less likely by far."""
        self.swap()
        if self.swapped is None or self.seen.book is None or not self.blind:
            return True
        seen = self.swapped[1]
        return seen.book is None or (seen.accuracy != 1.0 and seen.nats - self.seen.nats > CERTAIN) or self._is_given()

    def _is_given(self) -> bool:
        """All is known by heart, and other inputs change nothing: it learns from something else."""
        return self.seen.book is not None and self.seen.book < 0.1 * (self.blind or 0.0)

    def _is_deaf(self, share: float) -> bool:
        """As low as it gets without the input, and other inputs cost nothing, or this share of what deafness costs."""
        book, floor = self.seen.book, self.blind
        if not floor or book is None or book > 1.5 * floor or self.seen.ctc or self.subject.reads_labels:
            return False
        self.swap()
        costs = None if self.swapped is None else self.swapped[1].nats - self.seen.nats
        same = costs is not None and abs(costs) <= max(share, ROUNDING / floor) * floor * self.seen.tokens
        return same and (share > 0.0 or self.stays(SAME))

    def _is_deaf_with_ctc(self) -> bool:
        """No score moves with other inputs; or CTC knows its targets, and the loss is the same with other inputs."""
        if not self.seen.ctc or self.subject.reads_labels:
            return False
        if not self.aligns(0.5):
            return self.stays(SAME)
        self.swap()
        own = self.stepper.loss()
        self.eyes.clear()
        return self.swapped is not None and self.swapped[0] - own <= ALIKE * (self.curve[0] - own)

    def _begins_to_listen(self) -> bool:
        """Once, as many updates more where all is known but the rows, and other inputs cost something: it may wake."""
        if self.prolonged or not self._is_deaf(DEAF) or self.swapped is None:
            return False
        self.prolonged, own = True, self.stepper.loss()
        self.eyes.clear()
        if self.swapped[0] - own <= ROUNDING:
            return False
        self.most += len(self.curve)
        self.pace.resume()
        return True

    def _is_at_its_end(self, loss: float) -> bool:
        """Back to the best weights after a leap, slower after a standstill; True where nothing helps any more."""
        advice = self.pace.advise(loss, self.curve[0])
        if advice == "save":
            self.stepper.save()
        elif advice == "back":
            self.stepper.back()
        return advice == "stop"
