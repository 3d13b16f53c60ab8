"""Keeps the learning rate where the loss falls: back after a leap, slower after a standstill."""

PATIENCE = 12  # updates without a new lowest loss before the rate is halved; a leap quarters it
BETTER = 0.02  # of the lowest loss: less is no progress
HALVINGS = 4  # without progress: it will not come


class RateControl:
    """`advise` is asked after every loss: save (the weights are the best so far), back, stop, or nothing."""

    def __init__(self, rate: float) -> None:
        self.rate = self.first = rate
        self._best, self._since, self._halved = float("inf"), 0, 0

    @property
    def stands(self) -> bool:
        """No new lowest loss for a while, at whatever rate."""
        return self._since >= PATIENCE

    def resume(self) -> None:
        """Once more, at no less than after one leap."""
        self.rate, self._since, self._halved = max(self.rate, self.first / 4), 0, 0

    def advise(self, loss: float, first: float) -> str:
        if loss < self._best - BETTER * max(abs(loss), abs(first) * 1e-3):
            self._best, self._since, self._halved = loss, 0, 0
            return "save"
        self._since += 1
        leapt = not loss < self._best + max(0.5 * (first - self._best), 0.1 * abs(first))
        if not leapt and self._since < PATIENCE:
            return ""
        self.rate, self._since, self._halved = self.rate / (4 if leapt else 2), 0, self._halved + 1
        if self._halved > HALVINGS:
            return "stop"
        return "back" if leapt else ""
