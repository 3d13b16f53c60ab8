"""Types for the first step."""

from dataclasses import dataclass
from typing import Any

from probes.facts.core.types import Failure, FirstLoss


@dataclass(frozen=True)
class ParameterGradient:
    """The gradient of one trainable parameter after the first step. `norm` None: there is none at all."""

    name: str
    norm: float | None
    finite: bool = True
    size: int = 1
    weight_norm: float = 0.0
    moved: float | None = None  # norm of the first update, at the schedule's highest rate; None: no optimiser has it
    changed: float | None = None  # share of the elements with a gradient that the update changed
    rate: float | None = None  # of its group in that update
    largest: float = 0.0  # of the gradient's elements, by size
    dims: int = 1  # axes of the parameter: 2 and more for what multiplies, 1 for biases and norms


@dataclass(frozen=True)
class Gradients:
    """Every trainable parameter's gradient, and the norm of all of them together."""

    rows: tuple[ParameterGradient, ...]
    norm: float = 0.0
    rate: float | None = None  # the learning rate of the update that was tried, the highest of the groups
    rounds: bool = False  # an optimiser of torch's own: what it rounds away is lost

    def summary(self) -> dict[str, Any]:
        """The norm, and the tensors that have a gradient, a finite one, none."""
        with_gradient = [row for row in self.rows if row.norm is not None]
        finite = sum(row.finite for row in with_gradient)
        return {"norm": self.norm, "tensors": len(self.rows), "with_gradient": len(with_gradient), "finite": finite}


@dataclass(frozen=True)
class FirstStep:
    """One forward and backward pass (and an update, where there is an optimiser), measured and undone."""

    failure: Failure | None = None
    loss: FirstLoss | None = None
    gradients: Gradients | None = None
    scored_positions: tuple[tuple[bool, ...], ...] = ()  # per row and position of the labels: is it scored?
    loss_targets: tuple[
        tuple[int, ...], ...
    ] = ()  # likewise: the class that the loss makes more likely, -100 where none
    forward_seconds: float = 0.0
    backward_seconds: float = 0.0
    passes: int = 1

    def figure(self) -> dict[str, Any]:
        """For the report: the first loss, and the gradient of every parameter."""
        rows = self.gradients.rows if self.gradients else ()
        return {
            "loss": self.loss.value if self.loss else None,
            "grad_norm": self.gradients.norm if self.gradients else None,
            "gradients": [{"name": row.name, "norm": row.norm, "weight_norm": row.weight_norm} for row in rows],
        }


@dataclass(frozen=True)
class RunDuration:
    """Seconds of some batches, forward and backward; an update takes as many batches as are accumulated."""

    updates: int
    accumulation: int
    batch_seconds: tuple[float, ...]

    def summary(self) -> dict[str, Any]:
        """The shortest and the longest measured batch, for all updates."""
        batches = self.updates * self.accumulation
        seconds = [find(self.batch_seconds) * batches for find in (min, max)]
        return {"updates": self.updates, "measured": len(self.batch_seconds), "seconds": seconds}


@dataclass(frozen=True)
class UnreachedModule:
    """A module none of whose parameters gets a gradient, in train or eval mode, also after perturbing the weights."""

    module: str  # or the name of a lone parameter, whose kind is then Parameter
    kind: str
    tensors: int
    size: int
    missing: bool  # True: there is no gradient at all; False: there is one, and it is zero
    followed: bool | None = None  # does the loss change with these weights? None: not tried
    elsewhere: bool = False  # used in another batch than the first: an expert, a branch for some rows
    no_grad: bool = False  # the forward method of its class is under torch.no_grad: a table that is never trained


@dataclass(frozen=True)
class FaintGradientModule:
    """A module whose weight matrices all get near-zero gradients, also after perturbing the weights."""

    module: str
    kind: str
    tensors: int
    size: int
    largest: float  # element of their gradients, in either look


@dataclass(frozen=True)
class GradientReach:
    """How far the gradient gets: the parts it does not reach, largest first, out of so many trainable values."""

    trainable: int
    cuts: tuple[UnreachedModule, ...] = ()
    faint: tuple[FaintGradientModule, ...] = ()

    def share(self, cut: UnreachedModule) -> float:
        return cut.size / max(self.trainable, 1)
