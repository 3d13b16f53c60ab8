"""Types for gradients: by layer, activation and loss term; custom autograd functions; the user's training step."""

from dataclasses import dataclass

from probes.facts.core.types import Failure


@dataclass(frozen=True)
class LayerGradients:
    """Layers of one kind in a row, and the usual size of an element of each one's gradient, first layer first."""

    stack: str
    layers: tuple[str, ...]
    sizes: tuple[float, ...]

    @property
    def ratio(self) -> float:
        """The first layer's over the last one's: above one it grows on its way back, below one it fades."""
        return self.sizes[0] / self.sizes[-1]

    @property
    def steadiness(self) -> float:
        """Share of the steps from layer to layer that go the way of the whole."""
        pairs = list(zip(self.sizes, self.sizes[1:], strict=False))
        return sum((one > other) == (self.ratio > 1) for one, other in pairs) / len(pairs)


@dataclass(frozen=True)
class ActivationStats:
    """What one activation made of the batch."""

    module: str
    kind: str  # the module's class
    function: str  # relu, tanh, softmax…
    size: int
    alive: float = 1.0  # of a rectifier: share of its outputs that are not zero
    flat: float = 0.0  # of a squashing function: share of outputs where its slope is below a millionth
    decided: float = 0.0  # of attention: share of queries that look at one position alone
    times: int = 1


@dataclass(frozen=True)
class LossTerm:
    """One summand of the loss: what it trains, and the largest part that its graph lacks but another one's has."""

    function: str
    value: float
    share: float  # of the trainable values, those that get a gradient from this summand alone
    module: str = ""
    kind: str = ""
    tensors: int = 0
    followed: bool | None = None  # does this summand follow when that part changes? None: not tried


@dataclass(frozen=True)
class CustomBackward:
    """The backward pass of a custom autograd function, compared with finite differences of its forward pass."""

    function: str
    line: str  # file:line of the call
    argument: int
    verdict: str  # right, wrong, missing, identity, flat, unclear
    error: float = 0.0  # of the gradient, relative
    ratio: float = 1.0  # what backward gives over what the differences give


@dataclass(frozen=True)
class RepeatedStep:
    """The same first step once more, from the same seed and the same state; and what came after it."""

    first: float
    second: float
    nondeterministic_module: str = ""  # the first module that gives something else for the same input
    kind: str = ""
    activations: tuple[ActivationStats, ...] = ()
    parts: tuple[LossTerm, ...] = ()
    functions: tuple[CustomBackward, ...] = ()
    device: str = "cpu"
    failure: Failure | None = None  # of a further step, with whatever the model kept from the one before


@dataclass(frozen=True)
class BackwardCall:
    """One backward pass inside the user's own step: norms of all gradients before and after it."""

    before: float
    after: float
    autocast: bool = False
    in_closure: bool = False  # within optimizer.step: a closure


@dataclass(frozen=True)
class OptimizerCall:
    """One update inside the user's own step."""

    norm: float  # of all gradients, as the optimiser finds them
    walks: int  # backward passes made before it
    autocast: bool = False
    after: float = 0.0  # the norm when the optimiser is done: some change what they are given


@dataclass(frozen=True)
class UserStepCall:
    """One call of the user's own step."""

    backward_calls: tuple[BackwardCall, ...]
    updates: tuple[OptimizerCall, ...]
    left: float  # norm of the gradients after the call
    moved: bool
    scale: float = 1.0  # of the gradient scaler, before the call
    rescaled: bool = False  # the scaler met an overflow and skipped the update
    autocast_left: bool = False
    schedule_steps: int = 0  # of the learning rate's schedule, during the call


@dataclass(frozen=True)
class UserStep:
    """The user's own step on one batch, up to its second update, the weights put back in between."""

    calls: tuple[UserStepCall, ...]
    failure: Failure | None = None
    failed_call: int = 0
