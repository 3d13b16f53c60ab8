"""Learns a few rows by heart and stops as soon as it is certain whether that can be done."""

import time

import torch

from probes.instruments.learning_ctc import state_of
from probes.instruments.learning_eyes import Eyes, Seen, differ, targets_of
from probes.instruments.learning_floors import blind, unigram
from probes.instruments.learning_pace import Pace
from probes.instruments.learning_steps import Stepper, Subject, first_rate
from probes.instruments.loss_rows import with_inputs_exchanged
from probes.measured.learning import CtcState

MOST = 120  # updates: twice what a healthy model may need
CERTAIN = 3.0  # nats: the labels are twenty times as likely with their own inputs
DEAF = 0.25  # of what it costs not to know the rows: a listener pays more than all of it
ROUNDING = 1e-5  # nats for each label: sums in another order
STILL = 1e-3  # nats: scores of frames that are the same but for rounding
CHANGES = 4  # of the labels: enough to look closer
AGAIN = 6  # passes at the same weights


class Learning:
    """One attempt, from the weights as they are. `ended`: learnt, stuck, still falling, out of time."""

    def __init__(self, subject: Subject, eyes: Eyes, most: int = MOST) -> None:
        self.subject, self.eyes, self.most = subject, eyes, most
        self.stepper = Stepper(subject.model, subject.lesson.batches, subject.compute_loss, subject.groups)
        self.pace = Pace(first_rate(subject.groups))
        self.curve: list[float] = []
        self.books: list[float] = []
        self.first = self.seen = Seen()
        self.wanted: list[torch.Tensor | None] = []
        self.reached: set[int] = set()  # ids of the weights that got a gradient other than nought
        self.labels = [subject.labels_of(batch) if subject.labels_of else None for batch in subject.lesson.batches]
        self.changes = 0  # updates at which the loss asked for other labels than at first
        self.ended = ""
        self.swapped: tuple[float, Seen] | None = None
        self._floors: list[float] = []

    def learn(self) -> "Learning":
        while not self.ended:
            self.ended = self._step()
        return self

    def _step(self) -> str:
        if time.perf_counter() > self.subject.until:
            return "out of time"
        if len(self.curve) >= self.most:
            dead = self.seen.ctc and all(call.varies() <= STILL for call in self.seen.ctc)
            return self._resigned() if dead or self.pace.stands or self._is_deaf(DEAF) else "still falling"
        loss = self.look()
        self.curve.append(loss)
        nothing = not self.stepper.weights or (self.changes >= CHANGES and self._relabels())
        if nothing or (not len(self.curve) % 10 and self._is_deaf(0.0)):
            return "stuck"
        if self._is_done() and self._looks_at_input():
            return "learnt"
        if self._is_at_its_end(loss):
            return self._resigned()
        self.stepper.move(self.pace.rate)
        return ""

    def _resigned(self) -> str:
        """CTC may wait for long in its blank phase: that is no standstill while its frames differ."""
        waits = any(call.varies() > STILL for call in self.seen.ctc) and not self._aligns(0.9)
        if not waits:
            return "stuck"
        return "learnt" if self.seen.accuracy == 1.0 else "still falling"

    def look(self) -> float:
        """One pass: the loss, what is asked for and what is said, and which weights it reaches."""
        self.seen = Seen()
        asked: list[torch.Tensor | None] = []

        def after() -> None:
            asked.append(self.eyes.asked(self.labels[len(asked)]))
            self.changes += self.eyes.asks_otherwise(self.wanted[len(asked) - 1] if self.curve else None)
            self.eyes.compare(self.seen, self.wanted[len(asked) - 1] if self.curve else asked[-1])

        self.eyes.clear()
        loss = self.stepper.gradient(after)
        if not self.curve:
            self.first, self.wanted = self.seen, asked
        self.changes += any(not torch.equal(*pair) for pair in targets_of(self.first, self.seen))
        if self.seen.book is not None:
            self.books.append(self.seen.book)
        if len(self.curve) < 3 or not len(self.curve) % 10:
            pairs = [(weight, weight.grad) for weight in self.subject.model.parameters()]
            self.reached |= {id(weight) for weight, grad in pairs if grad is not None and bool(grad.any())}
        return loss

    def _relabels(self) -> bool:
        """Several passes at the same weights: soft targets ask for other classes as weights change, but not there."""
        asked: list[torch.Tensor | None] = []
        for _ in range(AGAIN):
            self.stepper.gradient(lambda: asked.append(self.eyes.asked(None)))
        size = len(self.wanted)
        found = differ(asked, size) or any(not torch.equal(*pair) for pair in targets_of(self.first, self.seen))
        self.changes = self.changes if found else -MOST
        return found

    @property
    def blind(self) -> float | None:
        return blind(self.first.asked)

    @property
    def unigram(self) -> float | None:
        return unigram(self.first.asked)

    def _is_done(self) -> bool:
        """All labels right, far below what their statistics allow, and CTC no longer where any input would do."""
        book, floor, statistics = self.seen.book, self.blind, self.unigram
        if book is None or floor is None or statistics is None:
            return self._aligns(0.5) if self.seen.ctc else self.curve[-1] < 0.05 * self.curve[0]
        if self.subject.reads_labels:
            return book < floor + 0.1 * (statistics - floor)
        return self.seen.accuracy == 1.0 and book < 0.5 * statistics and self._aligns(0.9)

    def _aligns(self, share: float) -> bool:
        """Every CTC loss is below this share of what one answer for all frames can reach."""
        self._floors = self._floors or [call.floor() for call in self.first.ctc]
        return all(call.loss() < share * floor for call, floor in zip(self.seen.ctc, self._floors, strict=True))

    @property
    def ctc(self) -> CtcState | None:
        """The first of them, at the end."""
        if not self.seen.ctc or len(self.seen.ctc) != len(self.first.ctc):
            return None
        self._aligns(1.0)
        return state_of(self.first.ctc[0], self.seen.ctc[0], self._floors[0], len(self.curve))

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
        return costs is not None and abs(costs) <= max(share * floor * self.seen.tokens, ROUNDING * self.seen.tokens)

    def swap(self) -> None:
        """The loss with the inputs exchanged between the rows, all else as it is."""
        batches = [with_inputs_exchanged(batch, self.subject.inputs_of) for batch in self.subject.lesson.batches]
        if any(batch is None for batch in batches):
            return
        total, seen = 0.0, Seen()
        for batch, wanted in zip(batches, self.wanted, strict=True):
            total += self.stepper.loss([batch]) / len(batches)
            self.eyes.compare(seen, wanted)
        self.swapped = total, seen

    def _is_at_its_end(self, loss: float) -> bool:
        """Back to the best weights after a leap, slower after a standstill; True where nothing helps any more."""
        advice = self.pace.advise(loss, self.curve[0])
        if advice == "save":
            self.stepper.save()
        elif advice == "back":
            self.stepper.back()
        return advice == "stop"
