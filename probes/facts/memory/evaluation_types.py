"""What an evaluation does that needs memory."""

from dataclasses import dataclass


@dataclass(frozen=True)
class EvaluationSettings:
    """What an evaluation of the run does. `logits`: bytes that it keeps of the whole set."""

    evaluates: bool = True
    tokens: int = 0  # that are generated at most; 0: it does not generate
    beams: int = 1
    logits: int = 0
    saves: bool = True
