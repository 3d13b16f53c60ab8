"""Standard deviation of random weights."""


def init_std(hidden: int) -> float:
    """hidden ** -0.5: with the 0.02 of large models, attention in small ones does not learn to align."""
    return hidden**-0.5
