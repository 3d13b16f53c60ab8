"""Number formats and the range of one operation's results."""

from dataclasses import dataclass, field

Key = tuple[str, str, int, str, int]  # phase, module, call, operation, index of the result there


@dataclass(frozen=True)
class FloatFormat:
    """A floating-point format in numbers."""

    name: str
    largest: float
    overflow_from: float  # the least magnitude that is rounded to infinity
    underflow_exponent: int  # 2 to this power, and what is below, is rounded to zero
    digits: int  # binary, of the significand

    @property
    def rounding(self) -> float:
        """The largest relative error of one rounding."""
        return float(2.0**-self.digits)


@dataclass(frozen=True)
class OpRange:
    """What one operation gave, in float32."""

    key: Key
    kind: str  # of the module
    line: str
    largest: float  # magnitude
    sources: tuple[int, ...] = ()  # places in the list of results that it was computed from
    live: bool = True  # False: computed from constants alone, as masks and positions are
    constant: float = 0.0  # the largest number written in the code that went into it
    exponents: dict[int, int] = field(default_factory=dict)  # of a gradient: elements by their power of two, no zeros
    whole: int = 0  # distinct values, where all are whole numbers
    apart: int = 0  # how many of these stay apart in the run's 16 bits

    @property
    def module(self) -> str:
        return self.key[1]

    @property
    def phase(self) -> str:
        return self.key[0]
