"""What the probes of padding share: whether scores change, the norm over time, the missing mask, and the message."""

from probes.facts.padding.types import PaddingEffect

OVER_TIME = ("GroupNorm", "BatchNorm", "InstanceNorm")
# Float32 leaves below 1e-5 in the scores (every healthy subject, ten seeds); at random weights, where an encoder is
# hardly used yet, a missing mask moves them by 3e-3.
ROUNDING = 1e-4
UNLOCATED = 0.05  # where no module was found to differ


def scores_differ(effect: PaddingEffect) -> bool:
    """The scores change by more than rounding explains, and a module is known whose output does."""
    return effect.score_change is not None and effect.score_change > (_rounding(effect) if effect.module else UNLOCATED)


def is_norm_over_time(effect: PaddingEffect) -> bool:
    """The first module whose output differs is a norm that averages over time, padding included."""
    return any(name in effect.kind for name in OVER_TIME)


def mask_is_missing(effect: PaddingEffect) -> bool:
    """The batch lacks a mask that forward takes; with a norm over time only where adding it restores the scores."""
    restores = effect.masked_change is not None and effect.masked_change <= _rounding(effect)
    return not effect.masks and bool(effect.accepted_masks) and (restores or not is_norm_over_time(effect))


def describe_change(effect: PaddingEffect) -> str:
    """The row, and by how much its scores change."""
    return (
        f"a row of length {effect.lengths[0]} padded to {effect.lengths[1]} has different logits than alone, by "
        f"{effect.score_change:.2g} standard deviations, expected less than 0.0001"
    )


def _rounding(effect: PaddingEffect) -> float:
    """What rounding alone may change in the scores."""
    return max(ROUNDING, effect.eps)
