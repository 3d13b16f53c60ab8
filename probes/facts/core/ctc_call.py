"""Records every call of torch's ctc_loss while a pass runs."""

from typing import Any, NamedTuple

import torch

from probes.facts.core.hooks import FunctionSpy


class CtcCall(NamedTuple):
    """What the loss was called with, in float32 on the CPU: log-probabilities are (frames, rows, classes)."""

    log_probs: torch.Tensor
    targets: torch.Tensor
    frames: torch.Tensor  # input lengths, one for each row
    lengths: torch.Tensor  # target lengths
    blank: int

    @property
    def target_rows(self) -> list[list[int]]:
        """The targets row by row, whether they were padded or concatenated."""
        lengths = self.lengths.tolist()
        if self.targets.dim() == 2:
            return [row[:length] for row, length in zip(self.targets.tolist(), lengths, strict=False)]
        return [row.tolist() for row in self.targets[: sum(lengths)].split(lengths)]


class CtcSpy(FunctionSpy):
    """`calls` has one entry for each call."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[CtcCall] = []

    def after_call(self, name: str, args: Any, kwargs: Any, result: Any) -> None:
        if name == "ctc_loss":
            self.calls.append(_parse(*args, **kwargs))


def _parse(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: int = 0, *_: Any, **__: Any
) -> CtcCall:
    frames, lengths = (torch.as_tensor(one).reshape(-1).cpu().long() for one in (input_lengths, target_lengths))
    return CtcCall(log_probs.detach().float().cpu(), targets.detach().cpu().long(), frames, lengths, blank)
